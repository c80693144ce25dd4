import { startPlayground } from '@signalman/playground'
import { MANIFEST } from '../manifest.ts'

/** Starts a Slack without an app that answers, for tests of what the app sends. */
export const startSlack = () =>
  startPlayground({
    appUrl: 'http://127.0.0.1:9',
    signingSecret: 's',
    manifestPath: MANIFEST,
  })
