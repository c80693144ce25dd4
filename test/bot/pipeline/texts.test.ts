import { expect, it } from 'vitest'
import { createThreatEvent } from '../../features/threats/events.ts'
import { createRandom } from '../../random.ts'
import { startWorld, type World } from '../../world.ts'

const ID = '7e57ed00-0000-4000-8000-00000000000a'

/** Markup that would notify people, link, or format if Slack parsed it. Nothing else in the test has these names. */
const MARKUP = [
  '@here',
  '@channel',
  '@everyone',
  '<!channel>',
  '<!here|x>',
  '<@U0EVIL0001>',
  '<!subteam^S0EVIL0001>',
  '<#C0EVIL0001>',
  '<http://evil.example|safe>',
  'http://evil.example',
  '*evil*',
  '_evil_',
  '~evil~',
  '`evil`',
  ':evil:',
  '&lt;!channel&gt;',
]
/** What none of it may have become in a text that Slack parses. Behind a letter or a digit, Slack parses neither a name nor a mark. */
const LIVE =
  /(?<![\p{L}\p{N}])@(?:here|channel|everyone)\b|<[!@#][^<>]*(?:channel|here|EVIL)|<?https?:\/\/evil|(?<![\p{L}\p{N}])[*_~`]evil[*_~`]|:evil:/u

const random = createRandom()
/** A name with some of the markup in it, at the start, in the middle, and after punctuation. */
function createName(nth: number): string {
  const words = ['web', '(', '–', '…', '"', '\u200b', '日本', ' ', '\n']
  const parts = Array.from({ length: 4 }, () => [random.oneOf(words), random.oneOf(MARKUP)]).flat()
  return `${parts.join(random.oneOf(['', ' ']))} ${nth}`
}

async function listTexts({ slack }: World): Promise<string[]> {
  return (await slack.deliveries()).flatMap(({ direction, request }) => {
    if (direction !== 'from-app') return []
    const { text } = (request.body ?? {}) as { text?: unknown }
    return typeof text === 'string' && text !== '' ? [text] : []
  })
}

it('keeps data in the text of every message from becoming markup', async () => {
  const names = Array.from({ length: 8 }, (_, nth) => createName(nth))
  await using world = await startWorld({
    checks: names.map((name, nth) => ({
      name,
      status: nth % 2 === 0 ? 'UNHEALTHY' : 'HEALTHY',
      target: 'www.example.com',
      alerts: [['ann@example.com']],
    })),
    watchEveryMs: 100,
  })
  const { member, admin } = world.slack
  const hostile = (key: string) => `${key} ${createName(9)}`
  await world.service.storeThreat(ID, {
    ...createThreatEvent('site.example'),
    id: ID,
    brand: { ...createThreatEvent('').brand, name: hostile('brand') },
    comments: [{ content: hostile('comment'), date: '2026-11-20T12:00:00.000Z' }],
  })
  const type = async (line: string) => {
    const [command = '', ...words] = line.split(' ')
    await member.command(command, words.join(' '), { until: () => true })
    if ((await member.views()).length > 0) await member.close({ all: true })
  }
  const [down = '', up = ''] = names.map((name) => JSON.stringify(name))
  const typed = createName(10)
  for (const line of [
    '/hc',
    '/hc list',
    '/hc down',
    `/hc show ${down}`,
    `/hc show ${up}`,
    `/hc show ${typed}`,
    `/hc ${typed}`,
    `/hc alerts ${down}`,
    `/hc history ${down}`,
    '/hc history',
    '/hc watch all --sure --yes',
    `/hc watch "${typed}" --sure`,
    '/hc watches',
    `/hc mute ${down} 2h --sure`,
    '/hc unmute all',
    '/hc recipients ann@example.com',
    '/hc export',
    `/hc edit all --frequency 30`,
    `/hc delete ${typed}`,
    `/hc nonsense --${typed}`,
    // In quotes, because a person who stands alone is one whose entries are asked for, and is shown as one.
    `/hc audit "${typed.replaceAll('"', '')}"`,
    '/hc audit',
    `/hc grant @${typed} operator`,
    `/threat ${ID}`,
    `/threat ${ID} --share --yes`,
    `/threat take ${ID}`,
    `/threat note ${ID} ${typed}`,
    `/threat case ${ID}`,
    '/threat queue',
    `/threat ${typed}`,
    `/cert-order ${typed}`,
    `/cert-order list ${typed}`,
    '/hc list --share --yes',
    `/hc show ${down} --share --yes`,
  ])
    await type(line)
  await (await member.say(`<@U0PLAYGBOT> hc ${typed}`)).answer().catch(() => undefined)
  await world.service.faults({
    path: '/',
    kind: 'status',
    status: 400,
    body: { errors: [{ code: 'ODD', message: hostile('message') }] },
  })
  await type('/hc list')
  await type(`/threat ${ID}`)
  await world.service.faults()
  await admin.command('/hc', 'audit', { until: () => true })
  const texts = await listTexts(world)
  expect(texts.length).toBeGreaterThan(30)
  expect(texts.filter((text) => LIVE.test(text))).toEqual([])
  // The markup was in them.
  expect(texts.join('\n')).toContain('evil')
})
