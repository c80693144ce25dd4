import { join } from 'node:path'

const shared = process.env.PLAYGROUND_PAGES

/**
 * Where the tests build the page: in the folder that all processes of a test run share, because other suites may rebuild the one that the
 * playground serves by default. The default if that folder isn't set.
 */
export const PAGE_FOLDER = shared === undefined ? undefined : join(shared, 'page')

/**
 * The port that playgrounds try first; 0 for any free port. Suites that open a browser set it, because the browser caches the compiled
 * code of the page by its URL.
 */
export const preferredPort = { current: 0 }
