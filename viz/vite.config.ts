// Builds dist/report.html: one file with its script and its styles in it, which loads nothing.
import { createHash } from "node:crypto";
import { defineConfig, type Plugin } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

// The policy names the one script by its hash, so that no other script runs, whatever the data hold. Charts
// set styles of elements while they draw, hence 'unsafe-inline' for styles alone.
// https://www.w3.org/TR/CSP3/#external-hash
function contentSecurityPolicy(): Plugin {
  return {
    name: "content-security-policy",
    enforce: "post",
    // After the script was put into the page, which another plugin does at the same stage.
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        for (const file of Object.values(bundle)) {
          if (file.type !== "asset" || !file.fileName.endsWith(".html")) continue;
          const html = String(file.source);
          const script = /<script type="module"[^>]*>([\s\S]*?)<\/script>/.exec(html);
          if (!script?.[1].trim()) throw new Error("the page has no inline script");
          const hash = createHash("sha256").update(script[1]).digest("base64");
          const policy =
            `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; ` +
            `img-src data: blob:; base-uri 'none'; form-action 'none'`;
          file.source = html.replace("CONTENT_SECURITY_POLICY", policy);
        }
      },
    },
  };
}

export default defineConfig({
  build: {
    target: "es2020",
    outDir: "dist",
    emptyOutDir: true,
    chunkSizeWarningLimit: 2000,
    rollupOptions: { input: "report.html" },
  },
  plugins: [viteSingleFile({ removeViteModuleLoader: true }), contentSecurityPolicy()],
});
