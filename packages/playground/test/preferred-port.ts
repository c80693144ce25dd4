/**
 * The port that playgrounds try first; 0 for any free port. Suites that open a browser set it, because the browser caches the compiled
 * code of the page by its URL.
 */
export const preferredPort = { current: 0 }
