export type { Page } from 'playwright-core'
export { findAxeViolations } from './axe.ts'
export { chromiumPath, openBrowser, shareBrowser } from './chromium.ts'
export { choose, openList } from './fill.ts'
