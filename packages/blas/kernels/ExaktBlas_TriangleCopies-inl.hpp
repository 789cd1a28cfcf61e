// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Entries of a triangle, copied to where other kernels read them: into the columns of a small triangle, or into a square
// with their images across the diagonal. Blocks of as many rows and columns as a pack has lanes are read along the lines
// that are contiguous. Included by ExaktBlas_MatrixVector.cpp for each instruction set.

/// A pack of entries, each before the last one in memory. (Highway's Reverse asks for its library in Debug builds.)
template <class T>
HWY_INLINE Pack load_backwards(T const* from) {
  double lanes[pack_lanes];
  for (int l = 0; l < pack_lanes; ++l) lanes[l] = static_cast<double>(from[-l]);
  return load(lanes);
}

/// \brief The entries of a small triangle. \param first  Its first entry on the diagonal, in the order of solution.
template <class T>
void gather_triangle(T const* first, std::ptrdiff_t row_step, std::ptrdiff_t column_step, std::size_t size,
                     SmallTriangle<kernel_lanes>& to) {
  constexpr auto lanes = static_cast<std::size_t>(pack_lanes);
  std::size_t const whole = (size + kernel_lanes - 1) / kernel_lanes * kernel_lanes;
  auto const at = [=](std::size_t r, std::size_t c) {
    return first + static_cast<std::ptrdiff_t>(r) * row_step + static_cast<std::ptrdiff_t>(c) * column_step;
  };
  auto const set_one_by_one = [&](std::size_t r, std::size_t c) {
    to.column(c)[r] = r > c && r < size ? static_cast<double>(*at(r, c)) : 0;
  };
  // Blocks of as many rows and columns as a pack has lanes, where lines are contiguous in either direction; what is left
  // entry by entry.
  bool const has_lines = row_step == 1 || row_step == -1, has_columns = column_step == 1 || column_step == -1;
  Integers const integers;
  IntegerPack const lane = hn::Iota(integers, 0);
  for (std::size_t c = 0; c < size; c += lanes) {
    std::size_t const columns = size - c < lanes ? size - c : lanes;
    std::size_t const done = (has_lines || has_columns) && columns == lanes ? size / lanes * lanes : c;
    for (std::size_t l = 0; l < columns; ++l) {
      for (std::size_t r = c / kernel_lanes * kernel_lanes; r < c; ++r) to.column(c + l)[r] = 0;
      for (std::size_t r = done; r < whole; ++r) set_one_by_one(r, c + l);
    }
    double* const block = to.column(c);
    std::size_t const stride = SmallTriangle<kernel_lanes>::column_stride(c);
    for (std::size_t r = c; r < done; r += lanes) {
      Pack packs[pack_lanes];
      HWY_UNROLL(8)
      for (std::size_t l = 0; l < lanes; ++l) {
        if (has_lines) {
          packs[l] = row_step == 1 ? load(at(r, c + l)) : load_backwards(at(r, c + l));
        } else {
          packs[l] = column_step == 1 ? load(at(r + l, c)) : load_backwards(at(r + l, c));
        }
      }
      if (!has_lines) transpose(packs);
      HWY_UNROLL(8)
      for (std::size_t l = 0; l < lanes; ++l) {
        if (r == c)  // the diagonal, and what is above it
          packs[l] = hn::IfThenElseZero(
              hn::RebindMask(Doubles(), hn::Gt(lane, hn::Set(integers, static_cast<std::int64_t>(l)))), packs[l]);
        store(packs[l], block + l * stride + r);
      }
    }
  }
  // What is read beside the last column, times zero: infinities would not do.
  for (std::size_t c = size; c < whole; ++c)
    for (std::size_t r = c / kernel_lanes * kernel_lanes; r < whole; ++r) to.column(c)[r] = 0;
}

/// A block of as many rows and columns as a pack has lanes, and its image across the diagonal; or zeros.
/// \param step  From a line of neighbours, which a column is or a row, to the next one.
template <bool rows_are_neighbours, class T>
HWY_INLINE void copy_block(T const* from, std::ptrdiff_t step, bool below, bool above, double* to, double* image,
                           std::size_t to_stride) {
  Pack lines[pack_lanes], turned[pack_lanes];
  HWY_UNROLL(8)
  for (int l = 0; l < pack_lanes; ++l) turned[l] = lines[l] = load(from + l * step);
  transpose(turned);
  HWY_UNROLL(8)
  for (int l = 0; l < pack_lanes; ++l) {
    std::size_t const at = static_cast<std::size_t>(l) * to_stride;
    store(below ? (rows_are_neighbours ? lines[l] : turned[l]) : zeros(), to + at);
    store(above ? (rows_are_neighbours ? turned[l] : lines[l]) : zeros(), image + at);
  }
}

/// \brief Entries of a triangle on one side of the diagonal of a square, and their images or zeros on the other.
/// \param from   Entry (r, c), r > c, is `row_step` and `column_step` times r and c behind it.
/// \param below  Whether (r, c) of the square is that entry, or zero. \param above  Likewise (c, r).
template <class T>
void copy_triangle(T const* from, std::ptrdiff_t row_step, std::ptrdiff_t column_step, std::size_t size, bool below,
                   bool above, double* to, std::size_t to_stride) {
  constexpr auto lanes = static_cast<std::size_t>(pack_lanes);
  auto const at = [=](std::size_t r, std::size_t c) {
    return from + static_cast<std::ptrdiff_t>(r) * row_step + static_cast<std::ptrdiff_t>(c) * column_step;
  };
  auto const set_one_by_one = [&](std::size_t r, std::size_t c) {
    double const entry = static_cast<double>(*at(r, c));
    to[c * to_stride + r] = below ? entry : 0;
    to[r * to_stride + c] = above ? entry : 0;
  };
  bool const has_blocks = row_step == 1 || column_step == 1;
  for (std::size_t c = 0; c < size; c += lanes) {
    std::size_t const columns = size - c < lanes ? size - c : lanes;
    // Blocks of packs beside the diagonal, and what is left entry by entry.
    std::size_t const begin = c + columns, end = has_blocks ? begin + (size - begin) / lanes * lanes : begin;
    for (std::size_t r = begin; r < end; r += lanes) {
      double *const block = to + c * to_stride + r, *const image = to + r * to_stride + c;
      if (row_step == 1) {
        copy_block<true>(at(r, c), column_step, below, above, block, image, to_stride);
      } else {
        copy_block<false>(at(r, c), row_step, below, above, block, image, to_stride);
      }
    }
    for (std::size_t l = 0; l < columns; ++l) {
      for (std::size_t r = c + l + 1; r < begin; ++r) set_one_by_one(r, c + l);
      for (std::size_t r = end; r < size; ++r) set_one_by_one(r, c + l);
    }
  }
}
