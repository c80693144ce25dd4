import { describe, expect, it } from 'vitest'
import { ID, startWorldWithThreat } from '../../features/threats/world.ts'
import { IS_LONG } from '../../long.ts'
import { createPrintedManifest } from '../../manifest.ts'
import { readSeed } from '../../random.ts'
import { WORKSPACE, type World } from '../../world.ts'

const OPTIONAL = [...createPrintedManifest().oauth_config.scopes.bot_optional]
const SCOPE_PAIRS = OPTIONAL.flatMap((scope, index) =>
  OPTIONAL.slice(index + 1).map((other) => [scope, other]),
)
/** A quick run tests the scopes in threes, and one alone: others for each seed. */
const TOGETHER = IS_LONG ? 1 : 3
const FIRST = readSeed() % OPTIONAL.length
const ROTATED = [...OPTIONAL.slice(FIRST), ...OPTIONAL.slice(0, FIRST)]
const SCOPE_GROUPS = Array.from({ length: Math.ceil(OPTIONAL.length / TOGETHER) }, (_, nth) =>
  ROTATED.slice(nth * TOGETHER, (nth + 1) * TOGETHER),
)
/** No scope, each scope, and all of them. Long runs also test every pair. */
const SCOPE_SETS = [[], ...SCOPE_GROUPS, OPTIONAL, ...(IS_LONG ? SCOPE_PAIRS : [])]

/** The name of an action, and the text that the person sees. */
type Outcome = readonly [name: string, text: string]

async function useEverything(world: World): Promise<Outcome[]> {
  const { member, admin } = world.slack
  const outcomes: Outcome[] = []
  const recordAnswer = async (name: string, answer: Promise<{ text: string }>) =>
    void outcomes.push([name, (await answer).text])
  await recordAnswer('list', member.command('/hc', 'list', { until: 'web' }))
  await recordAnswer('export', member.command('/hc', 'export', { until: /Exported 1|scope/ }))
  const { message, text } = await member.command('/threat', ID, { until: 'domain reported' })
  outcomes.push(['threat', text + JSON.stringify(message?.blocks)])
  await recordAnswer('screenshot', member.command('/threat', `screenshot ${ID}`, { until: /Sent|scope/ }))
  await recordAnswer('access', admin.command('/hc', 'grant @member operator', { until: 'Saved' }))
  await world.slack.faults({ method: 'chat.postMessage', kind: 'drop-reply' })
  await recordAnswer(
    'share',
    member.command('/hc', 'show web --share --yes', {
      until: /Shared by|outcome is unknown/,
    }),
  )
  return outcomes
}

const countRefusals = async (world: World): Promise<Record<string, number>> => {
  const refused = (await world.slack.deliveries()).filter(({ verdict }) => verdict === 'missing_scope')
  const counts: Record<string, number> = {}
  for (const { kind } of refused) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

/** No action calls a method more often than this, and each call is refused once. */
const MAX_REFUSALS = 3

describe.each(SCOPE_SETS.map((missing) => [missing] as const))('an installation without %j', (missing) => {
  it('says what a missing scope prevents, and doesn’t retry calls that lack one', async () => {
    await using world = await startWorldWithThreat(() => undefined, {
      checks: [{ name: 'web' }],
      playground: { missingScopes: missing },
    })
    const outcomes = await useEverything(world)
    for (const [name, text] of outcomes) {
      expect(text, name).not.toBe('')
      // Only unexpected errors show a reference.
      expect(text, name).not.toMatch(/Reference: \w/)
    }
    const refused = outcomes.filter(([, text]) => text.includes('lacks the scope files:write'))
    const expected = missing.includes('files:write') ? ['export', 'screenshot'] : []
    expect(refused.map(([name]) => name)).toEqual(expected)

    await world.slack.admin.openHome({ until: 'Help' })

    // Wait until all work has finished or was given up.
    await expect.poll(() => world.app.store.work.listOpen(WORKSPACE, ['act'])).toEqual([])
    const before = await countRefusals(world)
    for (const count of Object.values(before)) expect(count).toBeLessThanOrEqual(MAX_REFUSALS)
    await world.slack.member.command('/hc', 'list', { until: 'web' })
    expect(await countRefusals(world)).toEqual(before)
  })
})
