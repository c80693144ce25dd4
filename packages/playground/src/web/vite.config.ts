import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// What is built is always what is shipped: a test runner's NODE_ENV would choose React's development version.
process.env.NODE_ENV = 'production'

/** The page is served from its own origin under a policy without inline scripts: nothing is inlined. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    // One page, served from this machine: it is loaded whole.
    chunkSizeWarningLimit: 1500,
  },
})
