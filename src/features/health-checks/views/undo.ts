import { commandButton } from '@signalman/slack'
import type { Button } from '@slack/types'
import { cmd } from '../../../domain/command-names.ts'
import type { Environment } from '../../../domain/environment.ts'

/** `import the file with /hc import --env ote`. */
export const describeUndo = (environment: Environment): string =>
  `import the file with ${cmd('/hc import')}${environment === 'ote' ? ' --env ote' : ''}`

/** Previews the import of a file of what was before. */
export const goBackButton = (fileId: string, environment: Environment): Button =>
  commandButton('Go back…', `/hc import ${fileId} --env ${environment}`)

/** How to undo the change of a window. */
export interface Undo {
  readonly said: string
  /** The file, if Slack took it. */
  readonly fileId?: string | undefined
}
