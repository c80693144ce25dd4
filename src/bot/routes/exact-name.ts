import { Question } from '@signalman/runtime'
import { clip } from '@signalman/slack'
import { findFirstNamed } from '../../domain/find-check.ts'
import type { OtherName } from '../grammar/other-names.ts'
import type { CommandContext } from './command-context.ts'
import { type ResolvedLine, writeLine } from './lines.ts'

/** People mute during an outage, maybe of the service itself. */
const TIMEOUT_MS = 3000

/**
 * Throws Question for an act whose words are also exactly the name of a health check: `mute all` where one is named `all`, or
 * `mute Backup 2h` where one is named `Backup 2h`. The answer is a line in quotes, or one with `--sure`.
 */
export async function askIfNamed(
  context: Pick<CommandContext, 'api' | 'once'>,
  { verb, args, words }: ResolvedLine,
): Promise<void> {
  if (args.flags.sure || args.flags.yes) return
  const otherNames = args.otherNames?.() ?? []
  if (otherNames.length === 0) return
  // Once it has begun, an act doesn't ask anymore.
  const found = await context.once('named exactly', async () => await findNamed(context, otherNames))
  if (!found) return
  throw new Question(`A health check is named “${clip(found.name, 60)}”. Do you mean that one?`, [
    { label: clip(`Yes: ${found.line}`, 75), line: found.line },
    { label: 'No, as I typed it', line: `${writeLine({ verb, words, args })} --sure` },
  ])
}

/** The first name that a health check has. If the service can't say, the act itself asks it, or doesn't need it. */
async function findNamed(
  context: Pick<CommandContext, 'api'>,
  others: readonly OtherName[],
): Promise<OtherName | null> {
  try {
    const { healthChecks } = await context.api()
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    for (const alike of Map.groupBy(others, ({ name }) => name[0]).values()) {
      const names = alike.map(({ name }) => name)
      const name = await findFirstNamed(healthChecks, names, signal)
      if (name !== undefined) return alike.find((other) => other.name === name) ?? null
    }
    return null
  } catch {
    return null
  }
}
