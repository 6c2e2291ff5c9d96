// The expected texts were printed by numpy 1.24.
#include "tensor/print_numpy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace wt {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

template <class T>
std::string printed(const std::vector<T>& values) {
  return print_numpy(Tensor::of(Shape{static_cast<std::int64_t>(values.size())}, values));
}

template <class T>
std::string printed(const Shape& shape, const std::vector<T>& values) {
  return print_numpy(Tensor::of(shape, values));
}

template <class T>
std::string scalar(T value) {
  return printed<T>(Shape{}, {value});
}

template <class T>
std::string counted(const Shape& shape) {
  std::vector<T> values(static_cast<std::size_t>(shape.elements()));
  std::iota(values.begin(), values.end(), T{0});
  return printed(shape, values);
}

TEST(PrintNumpy, D18_AlignsColumnsAtThePoint) {
  EXPECT_EQ(printed<float>({2, 2}, {22, 28, 49, 64}), "[[22. 28.]\n [49. 64.]]");
  EXPECT_EQ(printed<float>({2, 2}, {1, -2.5f, 0.25f, 4}), "[[ 1.   -2.5 ]\n [ 0.25  4.  ]]");
  EXPECT_EQ(printed<float>({1.0f / 3, 2.0f / 3, 1}), "[0.33333334 0.6666667  1.        ]");
  EXPECT_EQ(printed<float>({-0.0f, 1}), "[-0.  1.]");
  EXPECT_EQ(printed<float>({99999990.0f, 3e7f}), "[99999992. 30000000.]");
  EXPECT_EQ(printed<double>({0.999999999, 1}), "[1. 1.]");  // 8 digits
}

TEST(PrintNumpy, D18_GivesExponentsWhereNumbersAreFarApart) {
  EXPECT_EQ(printed<float>({1e-5f, 1}), "[1.e-05 1.e+00]");
  EXPECT_EQ(printed<float>({1000.5f, 0.5f}), "[1.0005e+03 5.0000e-01]");
  EXPECT_EQ(printed<float>({1000, 1}), "[1000.    1.]");
  EXPECT_EQ(printed<float>({1e8f, 1}), "[1.e+08 1.e+00]");
  EXPECT_EQ(printed<float>({1e-4f}), "[1.e-04]");
  EXPECT_EQ(printed<double>({1.0 / 3, 2e-9}), "[3.33333333e-01 2.00000000e-09]");
  EXPECT_EQ(printed<double>({1e100, 1}), "[1.e+100 1.e+000]");
}

// All numbers get as many digits as the longest one. The additional digits are those of the value, not zeros
// behind the shortest form.
TEST(PrintNumpy, D18_FillsUpWithTheValuesOwnDigits) {
  EXPECT_EQ(printed<float>({-0.788923025f, 1.6905257f, 0.00089038588f}),
            "[-7.8892303e-01  1.6905257e+00  8.9038588e-04]");
}

TEST(PrintNumpy, D18_HasRoomForWhatIsNotFinite) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(printed<float>({std::nanf(""), 1, infinity}), "[nan  1. inf]");
  EXPECT_EQ(printed<float>({std::nanf(""), 1e10f, -infinity}), "[   nan 1.e+10   -inf]");
  EXPECT_EQ(printed<float>({std::nanf("")}), "[nan]");
}

TEST(PrintNumpy, D18_PrintsIntegersAndBooleans) {
  EXPECT_EQ(printed<std::int32_t>({1, -20, 300}), "[  1 -20 300]");
  EXPECT_EQ(printed<std::int64_t>({std::int64_t{1} << 40, 1}), "[1099511627776             1]");
  EXPECT_EQ(printed<std::uint8_t>({2, 2}, {1, 20, 3, 4}), "[[ 1 20]\n [ 3  4]]");
  Tensor flags = Tensor::zeros({Type::boolean, {1, 2}});
  flags.values<bool>()[0] = true;
  EXPECT_EQ(print_numpy(flags), "[[ True False]]");
}

TEST(PrintNumpy, D18_NestsBrackets) {
  EXPECT_EQ(counted<std::int32_t>({2, 2, 2}), "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]");
  EXPECT_EQ(counted<float>({0, 3}), "[]");
  EXPECT_EQ(counted<float>({1}), "[0.]");
}

TEST(PrintNumpy, D18_BreaksLinesAt75Characters) {
  EXPECT_EQ(counted<float>({30}),
            "[ 0.  1.  2.  3.  4.  5.  6.  7.  8.  9. 10. 11. 12. 13. 14. 15. 16. 17.\n"
            " 18. 19. 20. 21. 22. 23. 24. 25. 26. 27. 28. 29.]");
}

TEST(PrintNumpy, D18_LeavesOutTheMiddleOfMoreThan1000Elements) {
  EXPECT_EQ(counted<std::int32_t>({1001}), "[   0    1    2 ...  998  999 1000]");
  EXPECT_EQ(counted<std::int32_t>({1000}).find("..."), std::string::npos);
  EXPECT_EQ(counted<std::int64_t>({2, 600}),
            "[[   0    1    2 ...  597  598  599]\n [ 600  601  602 ... 1197 1198 1199]]");
  EXPECT_EQ(counted<float>({40, 50}), R"([[0.000e+00 1.000e+00 2.000e+00 ... 4.700e+01 4.800e+01 4.900e+01]
 [5.000e+01 5.100e+01 5.200e+01 ... 9.700e+01 9.800e+01 9.900e+01]
 [1.000e+02 1.010e+02 1.020e+02 ... 1.470e+02 1.480e+02 1.490e+02]
 ...
 [1.850e+03 1.851e+03 1.852e+03 ... 1.897e+03 1.898e+03 1.899e+03]
 [1.900e+03 1.901e+03 1.902e+03 ... 1.947e+03 1.948e+03 1.949e+03]
 [1.950e+03 1.951e+03 1.952e+03 ... 1.997e+03 1.998e+03 1.999e+03]])");
}

TEST(PrintNumpy, D18_LeavesOutTheMiddleOfEveryAxis) {
  const std::string text = counted<std::int32_t>({8, 8, 32});
  EXPECT_TRUE(text.starts_with(R"([[[   0    1    2 ...   29   30   31]
  [  32   33   34 ...   61   62   63]
  [  64   65   66 ...   93   94   95]
  ...
  [ 160  161  162 ...  189  190  191])"));
  EXPECT_NE(
      text.find("  [ 736  737  738 ...  765  766  767]]\n\n ...\n\n [[1280 1281 1282 ... 1309 1310 1311]\n"),
      std::string::npos);
}

TEST(PrintNumpy, D18_AScalarIsANumberOfItsOwn) {
  EXPECT_EQ(scalar(3.0f), "3.0");
  EXPECT_EQ(scalar(0.1f), "0.1");
  EXPECT_EQ(scalar(-0.0f), "-0.0");
  EXPECT_EQ(scalar(1e16f), "1e+16");
  EXPECT_EQ(scalar(1e-4f), "1e-04");
  EXPECT_EQ(scalar(1e-4), "0.0001");
  EXPECT_EQ(scalar(-1.5e20f), "-1.5e+20");
  EXPECT_EQ(scalar(123456789.0f), "123456790.0");
  EXPECT_EQ(scalar(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(scalar(std::nanf("")), "nan");
  EXPECT_EQ(scalar(std::int32_t{-7}), "-7");
  EXPECT_EQ(scalar(std::uint8_t{65}), "65");
  EXPECT_EQ(print_numpy(Tensor::zeros({Type::boolean, {}})), "False");
}

struct FloatCase {
  Floats values{};
  std::string text{};
};
struct DoubleCase {
  Doubles values{};
  std::string text{};
};

// Random numbers of one magnitude, and of several magnitudes.
const FloatCase float_cases[] = {
    {{-0x1.24da180000000p+8f, -0x1.de3d1e0000000p+11f}, R"([ -292.85193 -3825.91   ])"},
    {{0x1.2bd5560000000p+17f, 0x1.3398ee0000000p-16f, 0x1.0de7860000000p+2f, 0x1.1fea920000000p-13f,
      0x1.58545a0000000p+6f, 0x1.68a8de0000000p+23f},
     R"([1.5351467e+05 1.8334233e-05 4.2172561e+00 1.3728919e-04 8.6082375e+01
 1.1818095e+07])"},
    {{-0x1.457f120000000p+0f, -0x1.75ce460000000p-2f}, R"([-1.2714702  -0.36504468])"},
    {{0x1.cc85fc0000000p+12f, 0x1.89a8940000000p+10f, -0x1.8470480000000p+11f, -0x1.4db6d40000000p+19f},
     R"([   7368.374     1574.634    -3107.5088 -683446.6   ])"},
    {{0x1.ee12b40000000p-12f, 0x1.8a99e20000000p-11f, 0x1.2276240000000p-10f, 0x1.1af7480000000p-9f},
     R"([0.00047118 0.00075264 0.00110802 0.00215886])"},
    {{0x1.7febcc0000000p-11f}, R"([0.00073227])"},
    {{-0x1.a51e420000000p-8f, -0x1.926dc00000000p-8f, -0x1.fad7600000000p-10f, -0x1.406a100000000p-8f},
     R"([-0.00642575 -0.00614057 -0.00193345 -0.00488913])"},
    {{-0x1.00f43e0000000p+11f}, R"([-2055.6326])"},
    {{0x1.7b53060000000p+1f}, R"([2.9634712])"},
    {{0x1.4e725a0000000p+30f, -0x1.b0ae6e0000000p+9f}, R"([ 1.4027711e+09 -8.6536273e+02])"},
    {{0x1.d363160000000p-11f, 0x1.13f68e0000000p-10f, -0x1.578b340000000p-11f, 0x1.7aa94c0000000p-16f},
     R"([ 8.9147006e-04  1.0527157e-03 -6.5525773e-04  2.2569973e-05])"},
    {{-0x1.4112fa0000000p+24f, 0x1.3cc65c0000000p+7f, -0x1.3a1a9c0000000p-18f, -0x1.b267860000000p+20f,
      -0x1.b7822e0000000p+11f},
     R"([-2.1041914e+07  1.5838742e+02 -4.6805135e-06 -1.7793204e+06
 -3.5160681e+03])"},
};
const DoubleCase double_cases[] = {
    {{-0x1.86b9a689fa79fp+5, -0x1.b3d3d3e5948b0p+4, -0x1.ed8f00fcd5140p+5, -0x1.0988e7882443ap+5},
     R"([-48.84064968 -27.23921575 -61.6948261  -33.19184786])"},
    {{-0x1.b1a95c53ba7acp-5, 0x1.31052f475a8a0p+17, -0x1.49a624810295ep+23, -0x1.a5ee67996527fp+18,
      0x1.b0ec33ff7ae7dp-15, 0x1.15f3226953a00p+22},
     R"([-5.29372028e-02  1.56170369e+05 -1.08019383e+07 -4.32057619e+05
  5.16084037e-05  4.55392860e+06])"},
    {{0x1.53fc4ae046851p+8, 0x1.aee61fa5b5abfp+9, -0x1.da533ba23a564p+9},
     R"([ 339.98551752  861.7978408  -948.65025738])"},
    {{0x1.27d8a337ad037p+19, -0x1.e39a985ed84adp-20, -0x1.fe7ae1f773ad9p-13, 0x1.c1dbe0cd769a3p-12,
      0x1.16e9e53773647p+26, 0x1.4a7a219b012dap+26},
     R"([ 6.05893101e+05 -1.80156487e-06 -2.43415838e-04  4.29018878e-04
  7.31155409e+07  8.66325824e+07])"},
    {{-0x1.e16e1af96b810p-1}, R"([-0.94029316])"},
    {{-0x1.4ec6ad7f91135p+2, -0x1.a5929e0310e05p-16, 0x1.42d1952686568p+10, -0x1.348ba95cd2a4dp+3},
     R"([-5.23087633e+00 -2.51276924e-05  1.29127473e+03 -9.64204853e+00])"},
    {{-0x1.ce5b89277ab44p-7, 0x1.f5f2544f8315fp-8, 0x1.89235fd6c00b1p-7, 0x1.e51cc54d5984ep-7},
     R"([-0.01411003  0.0076591   0.01199763  0.01480446])"},
    {{-0x1.635a7ddba3bddp-6, 0x1.229e8bcbc137dp+17, 0x1.30dd531e156dep+26, 0x1.91aa887e5461fp-19},
     R"([-2.16890554e-02  1.48797092e+05  7.99184125e+07  2.99264599e-06])"},
    {{0x1.834cd18601f2dp+7, -0x1.260eca04c7c54p+10}, R"([  193.65003604 -1176.23108024])"},
    {{0x1.6f11dbd27aec9p+22, -0x1.97a1d00235accp+14}, R"([6014070.95554704  -26088.45313343])"},
    {{-0x1.54bceec487926p+3, 0x1.c13a94c9c51cfp+5, -0x1.59349e713c635p+6, 0x1.a46f32a82203fp+6,
      -0x1.a765daf39c829p+5},
     R"([-10.64806307  56.1536041  -86.30138566 105.10859168 -52.92473402])"},
    {{-0x1.9436f38ccd0fap-20, 0x1.273d37af1c50ap-19}, R"([-1.50581693e-06  2.19970294e-06])"},
};

TEST(PrintNumpy, D18_PrintsRandomNumbersAsNumpyDoes) {
  for (const FloatCase& example : float_cases) EXPECT_EQ(printed(example.values), example.text);
  for (const DoubleCase& example : double_cases) EXPECT_EQ(printed(example.values), example.text);
}

TEST(PrintTuple, D18_PrintsAShapeAsPythonDoes) {
  EXPECT_EQ(print_tuple({}), "()");
  EXPECT_EQ(print_tuple({3}), "(3,)");
  EXPECT_EQ(print_tuple({2, 3}), "(2, 3)");
}

}  // namespace
}  // namespace wt
