// Builds dist/render.js, the program that draws the page's charts as SVG and PNG. The rasteriser is native
// code and stays in node_modules.
import { defineConfig } from "vite";

export default defineConfig({
  ssr: { noExternal: ["echarts", "zrender", "tslib"] },
  build: {
    target: "node18",
    outDir: "dist",
    emptyOutDir: false,
    ssr: "src/render/main.ts",
    rollupOptions: { output: { entryFileNames: "render.js" }, external: ["@resvg/resvg-js"] },
  },
});
