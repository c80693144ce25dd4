import { isDecrypted } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import { handOverEach } from '../../../bot/routes/hand-over-each.ts'
import type { HandOver, OwnedItem } from '../../../bot/routes/routes.ts'
import { ENVIRONMENTS } from '../../../domain/environment.ts'
import { readPerson } from '../person.ts'
import type { ThreatCases } from '../rows/cases.ts'
import { safeDomain, safeLine } from '../rules/defang.ts'
import { readSnapshot } from '../rules/event-snapshot.ts'
import type { ThreatCase, UndecryptableCase } from '../rules/threat-case.ts'

const PAGE_LENGTH = 200
const MAX_NAME_LENGTH = 100

/** Hands over a person's open threat cases, and announces the new owner in each case's thread. */
export const handOverCases = ({
  threatCases,
  wake,
}: {
  threatCases: ThreatCases
  wake: () => void
}): HandOver => ({
  singular: 'threat case',
  plural: 'threat cases',
  needs: async () => 'operator',

  async listOwned({ workspaceId }, holderId) {
    const items: OwnedItem[] = []
    for (const environment of ENVIRONMENTS)
      for (let offset = 0; ; offset += PAGE_LENGTH) {
        const page = await threatCases.list({
          workspaceId,
          environment,
          holderId,
          limit: PAGE_LENGTH,
          offset,
        })
        items.push(...page.map(toOwnedItem))
        if (page.length < PAGE_LENGTH) break
      }
    return items
  },

  async transfer(context, items, { from, to }) {
    const { workspaceId, enterpriseId, now, reference } = context
    const by = await readPerson(context)
    const results = await handOverEach(items, ({ id: eventId, environment }) =>
      context.change(
        {
          verb: '/hc handover',
          object: `threat event ${eventId}`,
          environment,
          before: { holder: from },
          after: { holder: to.userId },
          isRepeatable: true,
        },
        async () => {
          const step = { workspaceId, environment, eventId, enterpriseId, by, now, reference }
          const outcome = await threatCases.step({ ...step, kind: 'hand-over', handOver: { from, to } })
          if (outcome.kind !== 'stepped')
            throw new UserError(
              `The case of ${safeLine(eventId, MAX_NAME_LENGTH)} was taken over, released, or closed in the meantime.`,
            )
        },
      ),
    )
    wake()
    return results
  },
})

function toOwnedItem(threatCase: ThreatCase | UndecryptableCase): OwnedItem {
  const { eventId, environment } = threatCase
  const domain = isDecrypted(threatCase) ? readSnapshot(threatCase).domain : undefined
  return {
    id: eventId,
    environment,
    name: `${safeLine(eventId, MAX_NAME_LENGTH)}${domain ? ` (${safeDomain(domain, MAX_NAME_LENGTH)})` : ''}`,
    blockedReason: isDecrypted(threatCase) ? undefined : 'It can’t be decrypted: see docs/keys.md.',
  }
}
