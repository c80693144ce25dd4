import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// Always build the production version, because a test runner's NODE_ENV would select React's development version.
process.env.NODE_ENV = 'production'

// The page's Content-Security-Policy doesn't allow inline scripts, so nothing is inlined.
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    // A large chunk is fine, because the page is served from the same machine.
    chunkSizeWarningLimit: 1500,
  },
})
