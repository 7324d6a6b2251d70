import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig } from 'vite'
import { limitFirstLoad } from './first-load.config.ts'

export default defineConfig({
  base: '/console/',
  plugins: [react(), limitFirstLoad({ maxGzipBytes: 200_000 })],
  resolve: { conditions: ['source', ...defaultClientConditions] },
  build: {
    target: 'es2022',
    // A data: URL in CSS or JavaScript would need a weaker content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
  },
  server: {
    proxy: {
      '/gw': 'http://localhost:8080',
      '/auth': 'http://localhost:8080',
      '/openapi': 'http://localhost:8080',
    },
  },
})
