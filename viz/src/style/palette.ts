// Colours that people with a colour vision deficiency can tell apart: M. Okabe and K. Ito, "Color Universal
// Design", 2008 (https://jfly.uni-koeln.de/color/), without its yellow, which is too light for lines on
// white.
export const okabeIto = {
  blue: "#0072B2",
  orange: "#E69F00",
  green: "#009E73",
  vermillion: "#D55E00",
  purple: "#CC79A7",
  sky: "#56B4E9",
  yellow: "#F0E442",
};

// Loads, from little to much: "OrRd" of C. Brewer, ColorBrewer 2.0. Its lightness falls steadily, so that a
// print in black and white keeps the order.
export const loadsOnLight = ["#fdd49e", "#fdbb84", "#fc8d59", "#e34a33", "#b30000"];
export const loadsOnDark = ["#7a3b2a", "#a8482c", "#d9673a", "#f59b62", "#ffd9b0"];
export const loadsInPrint = ["#c8c8c8", "#a0a0a0", "#787878", "#484848", "#000000"];
