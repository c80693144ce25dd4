import { commandButton } from '@signalman/slack'
import type { Button } from '@slack/types'
import type { Environment } from '../../../domain/environment.ts'
import { writeCommand } from '../../../domain/write-command.ts'

/** The file of what was before a change, without an ID if Slack didn't confirm it. */
export interface Undo {
  readonly fileId: string | undefined
}

/** Previews the import of the file. */
export const undoButtons = (undo: Undo | undefined, environment: Environment): Button[] =>
  undo?.fileId === undefined
    ? []
    : [commandButton('Go back…', writeCommand('/hc import', { words: [undo.fileId], environment }))]

/** Slack may have the file although its answer was lost. */
export const describeUndo = (undo: Undo | undefined): string[] =>
  undo && undo.fileId === undefined ? ['Slack didn’t confirm the file of what was before.'] : []
