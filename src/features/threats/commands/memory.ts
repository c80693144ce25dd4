import type { Settings } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import { message, section } from '@signalman/slack'
import { slot } from '../../../bot/grammar/slots.ts'
import type { VerbDeclaration } from '../../../bot/routes/routes.ts'
import { flagSpecs, PAGE_FIELDS, readFields } from '../../../bot/typed/fields.ts'
import { cmd } from '../../../domain/command-names.ts'
import { refang } from '../../../domain/typed-text/typed-address.ts'
import { pluralize } from '../../../domain/wording.ts'
import type { Memory } from '../memory/remember.ts'
import { MAX_RETENTION_DAYS, THREAT_RETENTION_DAYS } from '../memory/threat-retention.ts'
import { parseDays } from '../parse.ts'
import { PAGE_SIZE, searchResultsView } from '../views/found-events.ts'

/** The verbs that search earlier events and set how long they are kept. */
export function memoryCommands({
  memory,
  settings,
}: {
  memory: Memory
  settings: Pick<Settings, 'decide'>
}): VerbDeclaration[] {
  const find: VerbDeclaration = {
    line: '/threat find',
    slots: [slot('text', 'text', { required: true, usage: 'DOMAIN|IP|BRAND' })],
    description:
      'Find threat events looked up here before, by domain (with subdomains), IP address, AS number, brand, registrar, or page title',
    needs: 'viewer',
    example: 'find 192.0.2.1',
    flags: flagSpecs(PAGE_FIELDS),
    redraws: true,
    async run(context, { values, flags }) {
      const typed = refang(values.text ?? '')
      if (!typed)
        throw new UserError(
          `What do you want to find? Type a domain, an IP address, an AS number such as AS64500, or a brand after ${cmd('/threat find')}.`,
        )
      const { page = 1 } = readFields(PAGE_FIELDS, flags)
      const [result, days] = await Promise.all([
        memory.find(context, typed, { limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE }),
        memory.readRetentionDays(context.workspaceId),
      ])
      const { now, environment } = context
      return searchResultsView(result, { typed, page, days, now, environment })
    },
  }
  const retention: VerbDeclaration = {
    line: '/threat memory',
    slots: [slot('days', 'text', { usage: 'DAYS' })],
    description: 'Show or set how many days looked-up threat events are remembered; 0 turns it off',
    needs: 'admin',
    isAct: ({ words }) => words.length > 0,
    async run(context, { words }) {
      const { workspaceId } = context
      if (words.length === 0)
        return retentionMessage(
          await memory.readRetentionDays(workspaceId),
          'Threat events looked up here are',
        )
      const days = parseDays(words, MAX_RETENTION_DAYS)
      const before = await context.remember('days', () => memory.readRetentionDays(workspaceId))
      await context.decide(
        {
          verb: '/threat memory',
          object: 'threat events that were read',
          before: { days: before },
          after: { days },
        },
        (decisions) => settings.decide(decisions, THREAT_RETENTION_DAYS, () => days),
      )
      return retentionMessage(days, 'Saved. Threat events looked up here are')
    },
  }
  return [find, retention]
}

function retentionMessage(days: number, subject: string) {
  const sentence =
    days === 0
      ? `${subject} not remembered. Earlier ones are deleted within an hour.`
      : `${subject} remembered for ${pluralize(days, 'day')}. Older ones are deleted every hour.`
  return message(sentence, section(sentence))
}
