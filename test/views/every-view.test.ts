import { checkMessage, checkView } from '@signalman/playground'
import { expect, it } from 'vitest'
import { loadAppRoutes } from '../../docs/app-routes.ts'
import { rehearse } from './rehearse.ts'
import { findScreenFaults } from './screen-rules.ts'
import { removeDuplicates, type ShownView } from './shown-views.ts'
import { findUnreadTold } from './told-lines.ts'
import { watchViews } from './uncalled-views.ts'

/**
 * Runs every command, form, and button, so that the app shows everything that it can show. Takes about 300 requests. All tests share it,
 * and the first one starts it.
 */
let rehearsed: ReturnType<typeof rehearseWatched> | undefined
const rehearseOnce = () => {
  rehearsed ??= rehearseWatched()
  return rehearsed
}

async function rehearseWatched() {
  const views = await watchViews()
  const rehearsal = await rehearse(PREFIX)
  return { ...rehearsal, uncalled: await views.listUncalled() }
}

const PREFIX = 'x-'

/** Removes the prefix, because the style rules look for commands without one. */
const withoutPrefix = (shown: readonly ShownView[]): ShownView[] =>
  JSON.parse(JSON.stringify(shown).replaceAll(`/${PREFIX}`, '/'))

it('follows the style rules in every view', async () => {
  const { shown } = await rehearseOnce()
  const { verbs } = await loadAppRoutes()
  const faults = findScreenFaults(withoutPrefix(shown), verbs)
  expect([...faults].map(([fault, brokenBy]) => `${fault}: ${brokenBy}`)).toEqual([])
})

it('runs every command, form, and Home, and Slack accepts every view', async () => {
  const { shown, verbs, forms } = await rehearseOnce()
  const routes = await loadAppRoutes()
  expect(
    routes.verbs.map(({ command, verb }) => `/${command} ${verb}`.trim()).filter((name) => !verbs.has(name)),
  ).toEqual([])
  expect(routes.forms.map(({ id }) => id).filter((id) => !forms.has(id))).toEqual([])
  const texts = JSON.stringify(shown)
  const words = ['is down', 'are up again', 'was received', 'Example Shops', 'Created 1', '"type":"home"']
  expect(words.filter((text) => !texts.includes(text))).toEqual([])
  const views = removeDuplicates(shown)
  expect(views.length).toBeGreaterThan(100)
  expect(findRejectedViews(views)).toEqual([])
  const broken = { type: 'section', text: { type: 'mrkdwn', text: '' } }
  expect(
    findRejectedViews([{ cause: '/hc', kind: 'message', payload: { text: 'Odd', blocks: [broken] } }]),
  ).toEqual([expect.stringContaining('/hc: invalid_')])
})

/** Notes and replies that work in the background posts, perhaps only after the rehearsal. */
const POSTED_LATER = new Set([
  'noteView (src/features/watching/views/cards.ts)',
  'saidTakenOver (src/features/watching/views/on-it.ts)',
  'steppedDownView (src/features/watching/views/on-it.ts)',
])

it('shows every view that there is, so that a new one is shown to Slack, too', async () => {
  const { uncalled } = await rehearseOnce()
  expect(uncalled.filter((view) => !POSTED_LATER.has(view))).toEqual([])
})

it('tells people only lines that Signalman reads', async () => {
  const { shown } = await rehearseOnce()
  const unread = new Set<string>()
  // The audit log shows who ran which command on what, which isn't a line to type.
  for (const view of withoutPrefix(shown).filter(({ cause }) => !cause.includes('/hc audit')))
    for (const line of await findUnreadTold(view)) unread.add(`${view.cause}: ${line}`)
  expect([...unread]).toEqual([])
})

it.each([
  ['`/hc grunt @person operator`', 1],
  ['Use /hc grant @person oprator 8h.', 1],
  ['To add one, use `/hc grant @person operator 8h`. Ask /hc access.', 0],
  ['Type /hc page NAME @person there, or read /hc help: it says more.', 0],
  ['Type /cert-order approve --all there.', 1],
])('finds lines that it doesn’t read: %s', async (text, count) => {
  const view: ShownView = { cause: '', kind: 'message', payload: { text } }
  expect(await findUnreadTold(view)).toHaveLength(count)
})

const UNPREFIXED = /(?<![\w/.:=-])\/(?:hc|threat|cert-order)(?![\w/-]|\.\w)/

/** Matches text that the audit log quotes exactly as it was stored, so without the prefix. */
const STORED = /\bshare \/hc\b/g

it('shows every command with the deployment’s prefix', async () => {
  const { shown } = await rehearseOnce()
  const wrong = new Set<string>()
  for (const { cause, payload } of shown)
    for (const text of collectTexts(payload))
      if (UNPREFIXED.test(text.replaceAll(STORED, ''))) wrong.add(`${cause}: ${text.slice(0, 200)}`)
  expect([...wrong]).toEqual([])
  expect(
    shown.flatMap(({ payload }) => collectTexts(payload)).filter((text) => text.includes('/x-hc ')).length,
  ).toBeGreaterThan(50)
})

const READ_KEYS = new Set(['text', 'raw_text', 'alt_text', 'title'])

/** Collects the texts that people can read, but not the values of buttons and fields. */
function collectTexts(part: unknown, key = ''): string[] {
  if (typeof part === 'string') return READ_KEYS.has(key) ? [part] : []
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([name, value]) =>
    collectTexts(value, Array.isArray(part) ? key : name),
  )
}

function findRejectedViews(views: readonly ShownView[]): string[] {
  return views.flatMap(({ cause, kind, payload }) => {
    // Cast, because the checks read what they need, whatever it is.
    const sent = payload as Parameters<typeof checkMessage>[0]
    const checked = kind === 'view' ? checkView(sent, ['modal', 'home']) : checkMessage(sent)
    return 'error' in checked ? [`${cause}: ${checked.error}`] : []
  })
}
