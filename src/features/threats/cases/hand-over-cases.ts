import { isOpened } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import { giveEach } from '../../../bot/routes/give-each.ts'
import type { HandOver, HeldThing } from '../../../bot/routes/routes.ts'
import { ENVIRONMENTS } from '../../../domain/environment.ts'
import { readPerson } from '../person.ts'
import type { ThreatCases } from '../rows/cases.ts'
import { readAbout } from '../rules/about-case.ts'
import { safeDomain, safeLine } from '../rules/defang.ts'
import type { ThreatCase, UnopenedCase } from '../rules/threat-case.ts'

const AT_ONCE = 200
const NAME = 100

/** A person's open threat cases. The thread of each says who has it now. */
export const handOverCases = ({
  threatCases,
  wake,
}: {
  threatCases: ThreatCases
  wake: () => void
}): HandOver => ({
  one: 'threat case',
  many: 'threat cases',
  needs: async () => 'operator',

  async held({ workspaceId }, holderId) {
    const found: HeldThing[] = []
    for (const environment of ENVIRONMENTS)
      for (let offset = 0; ; offset += AT_ONCE) {
        const page = await threatCases.list({ workspaceId, environment, holderId, limit: AT_ONCE, offset })
        found.push(...page.map(toHandOver))
        if (page.length < AT_ONCE) break
      }
    return found
  },

  async give(context, things, { from, to }) {
    const { workspaceId, enterpriseId, now, reference } = context
    const by = await readPerson(context)
    const given = await giveEach(things, ({ id: eventId, environment }) =>
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
          const taken = await threatCases.step({ ...step, kind: 'hand-over', handOver: { from, to } })
          if (taken.kind !== 'stepped')
            throw new UserError(`The case of ${safeLine(eventId, NAME)} was no longer theirs.`)
        },
      ),
    )
    wake()
    return given
  },
})

function toHandOver(found: ThreatCase | UnopenedCase): HeldThing {
  const { eventId, environment } = found
  const domain = isOpened(found) ? readAbout(found).domain : undefined
  return {
    id: eventId,
    environment,
    name: `${safeLine(eventId, NAME)}${domain ? ` (${safeDomain(domain, NAME)})` : ''}`,
    stays: isOpened(found) ? undefined : 'It can’t be decrypted: see docs/keys.md.',
  }
}
