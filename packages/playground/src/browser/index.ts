export type { Page } from 'playwright-core'
export { findings } from './axe.ts'
export { chromiumPath, openBrowser } from './chromium.ts'
export { choose, openList, typeDate } from './fill.ts'
