import type { Settings } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import { message, section } from '@signalman/slack'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Routes } from '../../../bot/routes/routes.ts'
import { counted } from '../../../domain/wording.ts'
import { refanged } from '../defang.ts'
import type { Memory } from '../memory/remember.ts'
import { MOST_DAYS, THREATS_KEPT_DAYS } from '../memory/threat-retention.ts'
import { findView, SHOWN } from '../memory/views.ts'
import { readDays } from '../parse.ts'

/** The verbs on events that were read before, and on how long they are remembered. */
export function memoryCommands(
  routes: Routes,
  { memory, settings }: { memory: Memory; settings: Pick<Settings, 'set'> },
): void {
  routes.verb({
    command: 'threat',
    verb: 'find',
    usage: 'find DOMAIN|IP|BRAND',
    does: 'Find threat events that were read in this workspace before: by a domain (with all under it), an IP address in any notation, AS64500, the name of a brand or one word of it, the whole name of a registrar, the whole title of a page; capitals, accents and punctuation do not matter',
    needs: 'viewer',
    example: 'find 192.0.2.1',
    async run(context, { words }) {
      const typed = refanged(words.join(' '))
      if (!typed)
        throw new UserError(
          'Type what to find behind /threat find: a domain, an IP address, AS64500, or the name of a brand.',
        )
      const [found, days] = await Promise.all([
        memory.find(context, typed, SHOWN + 1),
        memory.daysOf(context.workspaceId),
      ])
      return findView(found, { words: typed, days, now: context.now, environment: context.environment })
    },
  })

  routes.verb({
    command: 'threat',
    verb: 'memory',
    usage: `memory [DAYS]`,
    does: 'For how many days this workspace remembers the threat events that it has read; 0 for not at all',
    needs: 'admin',
    acts: ({ words }) => words.length > 0,
    run: (context, { words }) =>
      words.length === 0
        ? told(context, memory)
        : change(context, memory, settings, readDays(words, MOST_DAYS)),
  })
}

async function told(context: CommandContext, memory: Memory) {
  return said(await memory.daysOf(context.workspaceId), 'Threat events that were read here are remembered')
}

async function change(
  context: CommandContext,
  memory: Memory,
  settings: Pick<Settings, 'set'>,
  days: number,
) {
  const before = await context.keep('days', () => memory.daysOf(context.workspaceId))
  const what = {
    verb: '/threat memory',
    object: 'threat events that were read',
    before: { days: before },
    after: { days },
  }
  await context.change({ ...what, isRepeatable: true }, () =>
    settings.set(context.workspaceId, THREATS_KEPT_DAYS, days),
  )
  return said(days, 'From now on, threat events that are read here are remembered')
}

function said(days: number, words: string) {
  const sentence =
    days === 0
      ? `${words.replace(/are remembered$/, 'are not remembered')}. What was remembered is deleted within the hour.`
      : `${words} for ${counted(days, 'day')}; what is older is deleted every hour.`
  return message(sentence, section(sentence))
}
