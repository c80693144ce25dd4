import { describe, expect, it } from 'vitest'
import { ID, startWorldWithThreat } from '../../features/threats/world.ts'
import { IS_LONG } from '../../long.ts'
import { createPrintedManifest } from '../../manifest.ts'
import { WORKSPACE, type World } from '../../world.ts'

const OPTIONAL = createPrintedManifest([]).oauth_config.scopes.bot_optional ?? []
const SCOPE_PAIRS = OPTIONAL.flatMap((one, index) => OPTIONAL.slice(index + 1).map((other) => [one, other]))
/** Each scope alone, and all of them. A pair rarely adds anything, so pairs are for long runs. */
const SCOPE_SETS = [[], ...OPTIONAL.map((one) => [one]), OPTIONAL, ...(IS_LONG ? SCOPE_PAIRS : [])]

/** The text that the person sees, or nothing if Slack doesn't send the app such requests. */
type Outcome = readonly [what: string, text: string]

/** Uses everything that needs an optional scope. */
async function useEverything(world: World): Promise<Outcome[]> {
  const { member, admin } = world.slack
  const outcomes: Outcome[] = []
  const recordAnswer = async (what: string, answer: Promise<{ text: string }>) =>
    void outcomes.push([what, (await answer).text])
  await recordAnswer('list', member.command('/hc', 'list', { until: 'web' }))
  await recordAnswer('export', member.command('/hc', 'export', { until: /Exported 1|scope/ }))
  const { message, text } = await member.command('/threat', ID, { until: ID })
  outcomes.push(['threat', text + JSON.stringify(message?.blocks)])
  await recordAnswer('screenshot', member.command('/threat', `screenshot ${ID}`, { until: /Sent|scope/ }))
  await recordAnswer('access', admin.command('/hc', 'access', { until: 'Admins: people' }))
  await admin.close({ all: true })
  await world.slack.faults({ method: 'chat.postMessage', kind: 'drop-reply' })
  await recordAnswer(
    'share',
    member.command('/hc', 'show web --share --yes', {
      until: /Shared by|outcome is unknown/,
    }),
  )
  return outcomes
}

/** The texts that must appear if a scope is missing. */
const EXPECTED_TEXTS: Readonly<Record<string, readonly (readonly [what: string, says: RegExp])[]>> = {
  'files:write': [
    ['export', /lacks the scope files:write/],
    ['screenshot', /lacks the scope files:write/],
    ['threat', /no screenshot: Slack hasn’t granted [a-z: ]*files:write/],
  ],
  'files:read': [['threat', /no screenshot: Slack hasn’t granted files:read/]],
  'usergroups:read': [['access', /lacks the scope usergroups:read/]],
}

const countRefusals = async (world: World): Promise<Record<string, number>> => {
  const refused = (await world.slack.deliveries()).filter(({ verdict }) => verdict === 'missing_scope')
  const counts: Record<string, number> = {}
  for (const { kind } of refused) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

/** Slack refuses a method once per use, and no method is used more often than this. */
const MAX_REFUSALS = 3

describe.each(SCOPE_SETS.map((missing) => [missing] as const))('an installation without %j', (missing) => {
  it('says what it can’t do, and doesn’t keep retrying calls that lack a scope', async () => {
    await using world = await startWorldWithThreat(() => undefined, {
      checks: [{ name: 'web' }],
      playground: { missingScopes: missing },
    })
    const outcomes = await useEverything(world)
    for (const [what, text] of outcomes) {
      expect(text, what).not.toBe('')
      // Only errors of the app have a reference.
      expect(text, what).not.toMatch(/Reference: \w/)
    }
    const expected = missing.flatMap((scope) => EXPECTED_TEXTS[scope] ?? [])
    for (const [what, says] of expected)
      expect(outcomes.find(([one]) => one === what)?.[1], what).toMatch(says)

    const home = (await world.slack.member.openHome({ until: missing.length > 0 ? 'Off here' : 'Help' })).text
    for (const scope of missing) expect(home).toContain(scope)

    // All work has finished or was given up.
    await expect.poll(() => world.app.store.work.listOpen(WORKSPACE, ['act'])).toEqual([])
    const before = await countRefusals(world)
    for (const count of Object.values(before)) expect(count).toBeLessThanOrEqual(MAX_REFUSALS)
    await world.slack.member.command('/hc', 'list', { until: 'web' })
    expect(await countRefusals(world)).toEqual(before)
  })
})
