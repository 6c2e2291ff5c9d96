#include "emulation/convolution.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace wt::emulation {
namespace {

int output_of(int input, int pad, int window, int dilation, int stride) {
  return (input + 2 * pad - ((window - 1) * dilation + 1)) / stride + 1;
}

using Numbers = std::vector<double>;

Numbers as_multiplied(const float* data, long long count, Multiplies how) {
  Numbers all(static_cast<std::size_t>(count));
  std::transform(data, data + count, all.begin(), [how](float value) { return multiplied(value, how); });
  return all;
}

void round_to(float* data, const Numbers& sums) {
  std::transform(sums.begin(), sums.end(), data, [](double sum) { return static_cast<float>(sum); });
}

// f(pixel, tap, output): where the numbers lie that meet there, of one group's input channel and first output channel:
// pixel in x, tap in a filter whose outputs lie side by side, output in y. The group's outputs follow each other.
template <class F>
void for_each_meeting(const Convolution& c, const F& f) {
  const int in = c.filter.c, out = c.y.c / c.groups;
  for (int image = 0; image < c.y.n; ++image)
    for (int row = 0; row < c.y.h; ++row)
      for (int column = 0; column < c.y.w; ++column)
        for (int i = 0; i < c.filter.h; ++i)
          for (int j = 0; j < c.filter.w; ++j) {
            const int y = row * c.stride_h - c.pad_h + i * c.dilation_h;
            const int x = column * c.stride_w - c.pad_w + j * c.dilation_w;
            if (y < 0 || y >= c.x.h || x < 0 || x >= c.x.w) continue;
            const long long pixel = ((1LL * image * c.x.h + y) * c.x.w + x) * c.x.c;
            const long long output = ((1LL * image * c.y.h + row) * c.y.w + column) * c.y.c;
            const long long tap = (1LL * i * c.filter.w + j) * in;
            for (int group = 0; group < c.groups; ++group)
              for (int channel = 0; channel < in; ++channel)
                f(pixel + group * in + channel, (tap + channel) * c.y.c + group * out, output + group * out);
          }
}

// A filter [k, kh, kw, c] as [kh, kw, c, k], and back.
Numbers outputs_last(const Convolution& c, const Numbers& filter) {
  const std::size_t outputs = static_cast<std::size_t>(c.y.c), taps = filter.size() / outputs;
  Numbers turned(filter.size());
  for (std::size_t k = 0; k < outputs; ++k)
    for (std::size_t tap = 0; tap < taps; ++tap) turned[tap * outputs + k] = filter[k * taps + tap];
  return turned;
}
Numbers outputs_first(const Convolution& c, const Numbers& filter) {
  const std::size_t outputs = static_cast<std::size_t>(c.y.c), taps = filter.size() / outputs;
  Numbers turned(filter.size());
  for (std::size_t k = 0; k < outputs; ++k)
    for (std::size_t tap = 0; tap < taps; ++tap) turned[k * taps + tap] = filter[tap * outputs + k];
  return turned;
}

}  // namespace

bool Convolution::is_consistent() const {
  return groups > 0 && x.c == filter.c * groups && filter.n == y.c && y.c % groups == 0 && x.n == y.n &&
         y.h == output_of(x.h, pad_h, filter.h, dilation_h, stride_h) &&
         y.w == output_of(x.w, pad_w, filter.w, dilation_w, stride_w);
}

void convolve_forward(const Convolution& c, const float* x, const float* filter, float* y) {
  const Numbers in = as_multiplied(x, c.x.elements(), c.how),
                taps = outputs_last(c, as_multiplied(filter, c.filter.elements(), c.how));
  Numbers sums(static_cast<std::size_t>(c.y.elements()));
  const int out = c.y.c / c.groups;
  for_each_meeting(c, [&](long long pixel, long long tap, long long output) {
    const double factor = in[static_cast<std::size_t>(pixel)];
    for (int k = 0; k < out; ++k) sums.data()[output + k] += factor * taps.data()[tap + k];
  });
  round_to(y, sums);
}

void convolve_backward_data(const Convolution& c, const float* filter, const float* dy, float* dx) {
  const Numbers slopes = as_multiplied(dy, c.y.elements(), c.how),
                taps = outputs_last(c, as_multiplied(filter, c.filter.elements(), c.how));
  Numbers sums(static_cast<std::size_t>(c.x.elements()));
  const int out = c.y.c / c.groups;
  for_each_meeting(c, [&](long long pixel, long long tap, long long output) {
    double sum = 0;
    for (int k = 0; k < out; ++k) sum += slopes.data()[output + k] * taps.data()[tap + k];
    sums[static_cast<std::size_t>(pixel)] += sum;
  });
  round_to(dx, sums);
}

void convolve_backward_filter(const Convolution& c, const float* x, const float* dy, float* dfilter) {
  const Numbers in = as_multiplied(x, c.x.elements(), c.how),
                slopes = as_multiplied(dy, c.y.elements(), c.how);
  Numbers sums(static_cast<std::size_t>(c.filter.elements()));
  const int out = c.y.c / c.groups;
  for_each_meeting(c, [&](long long pixel, long long tap, long long output) {
    const double factor = in[static_cast<std::size_t>(pixel)];
    for (int k = 0; k < out; ++k) sums.data()[tap + k] += factor * slopes.data()[output + k];
  });
  round_to(dfilter, outputs_first(c, sums));
}

}  // namespace wt::emulation
