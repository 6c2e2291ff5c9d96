// Builds dist/render.js, the program that draws the page's charts as SVG and PNG. The rasteriser is native
// code and stays in node_modules. Like the page, it has the chart library as it is made for production: the checks of a
// library under development refuse axes whose figures are all below 1e-10.
import { defineConfig } from "vite";

export default defineConfig({
  define: { "process.env.NODE_ENV": JSON.stringify("production") },
  ssr: { noExternal: ["echarts", "zrender", "tslib"] },
  build: {
    target: "node18",
    outDir: "dist",
    emptyOutDir: false,
    ssr: "src/render/main.ts",
    rollupOptions: { output: { entryFileNames: "render.js" }, external: ["@resvg/resvg-js"] },
  },
});
