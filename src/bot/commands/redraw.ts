import type { Log } from '../../log.ts'
import type { Surface } from '../../slack/receive/surface.ts'
import type { HandledRequest, RedrawTarget } from '../routes/handled-request.ts'
import { commandOf, type ResolveLine } from '../routes/resolve-line.ts'
import type { RunLine } from './run-line.ts'

/** Runs a line again, to bring the answer beside a form up to date. */
export function createRedraw(parts: { resolve: ResolveLine; runLine: RunLine; log: Log }) {
  const { resolve, runLine, log } = parts

  /** After the form was carried out, the answer beside it is out of date. When this fails, nobody is told. */
  async function redraw({ act: _, ...request }: HandledRequest, target: RedrawTarget): Promise<void> {
    const there = { ...request, environment: target.environment, surface: surfaceOf(target) }
    const options = { inPlace: true, quiet: true }
    await runLine(there, resolve(commandOf(target.line)), options).catch((error: unknown) =>
      log.info({ reference: request.reference, err: error }, 'An answer could not be drawn again.'),
    )
  }

  return redraw
}

const surfaceOf = (target: RedrawTarget): Surface =>
  'modalId' in target
    ? { kind: 'window', modalId: target.modalId }
    : { kind: 'message', responseUrl: target.responseUrl, isEphemeral: true }
