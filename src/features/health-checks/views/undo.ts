import { commandButton } from '@signalman/slack'
import type { Button } from '@slack/types'
import type { Environment } from '../../../domain/environment.ts'
import { writeCommand } from '../../../domain/write-command.ts'

/** Previews the import of a file of what was before. */
export const goBackButton = (fileId: string, environment: Environment): Button =>
  commandButton('Go back…', writeCommand('/hc import', { words: [fileId], environment }))

/** How to undo the change of a window. */
export interface Undo {
  readonly said: string
  /** The file, if Slack confirmed it. */
  readonly fileId?: string | undefined
}

/** Slack may have the file although its answer was lost. */
export const UNCONFIRMED_FILE = 'Slack didn’t confirm the file of what was before.'
