import type { Settings } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import { card, type Line, type Message } from '@signalman/slack'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Routes } from '../../../bot/routes/routes.ts'
import type { Arguments } from '../../../bot/typed/command-line.ts'
import type { CheckFacts } from '../../../domain/outages/outage.ts'
import { quoted } from '../../../domain/quoting.ts'
import { counted, grouped } from '../../../domain/wording.ts'
import { tellingOf } from '../about-check.ts'
import { filterWords } from '../filter-fields.ts'
import { subjectOf } from '../mute-checks.ts'
import { parseSubject } from '../parse/mute-line.ts'
import type { WatchStore } from '../rows/watching.ts'
import { coversSubject } from '../rules/subjects.ts'
import type { Watch } from '../rules/watch.ts'
import { runbookParts } from '../views/many-cards.ts'
import { subjectName } from '../views/words.ts'
import {
  type NamedRunbook,
  OWN_HOSTS,
  RUNBOOKS,
  readHosts,
  readRunbook,
  runbookOf,
  type WorkspaceRunbooks,
  withRunbook,
  workspaceRunbooks,
} from './rules.ts'

interface RunbookParts {
  settings: Pick<Settings, 'get' | 'set' | 'change'>
  watching: Pick<WatchStore, 'cards' | 'aboutCheck'>
}

/** `/hc runbook` and `runbook-hosts`: what to do when a check falls, and to which hosts its links can be pressed. */
export function runbookCommands(routes: Routes, parts: RunbookParts): void {
  const {
    settings,
    watching: { cards, aboutCheck },
  } = parts
  routes.verb({
    typed: '/hc runbook [NAME|UUID|glob*] [--say "https://… NOTE"] [--off]',
    does: 'Show, or say, what to do when a check falls: it stands on its cards, whoever watches it',
    needs: 'viewer',
    redraws: true,
    example: 'runbook shop* --say "https://wiki.example.com/shop Restart the pods first"',
    flags: SAYING,
    means: ({ flags }) => (flags.say || flags.off ? 'runbook-set' : undefined),
    run: async (context, { words }) => {
      const all = await workspaceRunbooks(settings)(context.workspaceId)
      const about = words.length > 0 ? await aboutOf(context, { words, flags: {} }) : undefined
      const isOfOne = about?.kind === 'check'
      return runbooksView(all, about, isOfOne ? await tellingNow(aboutCheck, context, about) : [])
    },
  })

  routes.verb({
    typed: '/hc runbook-set NAME|UUID|glob* [--say "https://… NOTE"] [--off]',
    does: 'Say what to do when a check falls',
    needs: 'operator',
    acts: true,
    hidden: true,
    flags: SAYING,
    async run(context, { words, flags }) {
      const about = await context.keep('about', () => aboutOf(context, { words, flags }))
      const text = typedText(flags)
      const { workspaceId } = context
      const isSaid = await context.keep('is-said', async () => {
        const all = await settings.get(workspaceId, RUNBOOKS)
        return withRunbook(all, about, undefined).length < all.length
      })
      if (text === undefined && !isSaid)
        throw new UserError(`${subjectName(about)} has no runbook.`, [
          { label: 'Runbooks', line: '/hc runbook' },
        ])
      await context.change(
        {
          verb: '/hc runbook',
          object: `runbook of ${subjectName(about)}`,
          after: text ?? 'off',
          isRepeatable: true,
        },
        async () => {
          await settings.change(workspaceId, RUNBOOKS, (all) => withRunbook(all, about, text))
          await cards.redraw(workspaceId, about)
        },
      )
      const did = text === undefined ? 'Taken away: ' : 'Saved: '
      return runbooksView(await workspaceRunbooks(settings)(workspaceId), about, [], did)
    },
  })

  hostsCommand(routes, parts)
}

/** To which hosts links of runbooks can be pressed. */
function hostsCommand(routes: Routes, { settings, watching: { cards } }: RunbookParts): void {
  routes.verb({
    typed: '/hc runbook-hosts [HOST…|none]',
    does: 'Name the hosts of your own pages: only links to them can be pressed in runbooks',
    needs: 'admin',
    acts: ({ words }) => words.length > 0,
    example: 'runbook-hosts wiki.example.com',
    async run(context, { words }) {
      const { workspaceId } = context
      if (words.length === 0) return hostsView(await settings.get(workspaceId, OWN_HOSTS))
      const hosts = readHosts(words)
      const before = await context.keep('hosts', () => settings.get(workspaceId, OWN_HOSTS))
      await context.change(
        { verb: '/hc runbook-hosts', object: 'hosts of runbooks', before, after: hosts, isRepeatable: true },
        async () => {
          await settings.set(workspaceId, OWN_HOSTS, hosts)
          await cards.redraw(workspaceId, { kind: 'all' })
        },
      )
      return hostsView(hosts)
    },
  })
}

/** The watches that tell of a check, as it was seen last. */
async function tellingNow(
  aboutCheck: WatchStore['aboutCheck'],
  { workspaceId, environment, channelId, userId }: CommandContext,
  about: CheckFacts,
): Promise<readonly Watch[]> {
  const asked = { workspaceId, environment, uuid: about.uuid, channelId, latest: 1 }
  const { watches, latest } = await aboutCheck(asked)
  return tellingOf(watches, latest[0]?.check ?? about, userId)
}

const SAYING = {
  say: { takes: 'value', about: 'What to do: an address that begins with https://, a note, or both' },
  off: { takes: 'switch', about: 'Take the runbook away' },
} as const

function typedText({ say, off }: Arguments['flags']): string | undefined {
  if (off === true) return undefined
  if (typeof say !== 'string')
    throw new UserError('What is to be done? Add --say "https://… NOTE", or --off.')
  try {
    return readRunbook(say)
  } catch (error) {
    throw error instanceof UserError ? new UserError(`--say ${error.message}`) : error
  }
}

async function aboutOf(
  context: CommandContext,
  { words, flags: { say, off } }: Pick<Arguments, 'words' | 'flags'>,
): Promise<NamedRunbook['about']> {
  const rest = off ? ' --off' : typeof say === 'string' ? ` --say ${quoted(say)}` : ''
  const about = await subjectOf(
    context,
    parseSubject(words),
    (found) => `/hc runbook ${quoted(found)}${rest}`,
  )
  return about.kind === 'all' ? { kind: 'name', pattern: '*' } : about
}

const SHOWN = 20

/** Those of one subject, or of what it is among, and of the watches that tell of it; else all. Begins with what was done. */
function runbooksView(
  { named, ownHosts }: WorkspaceRunbooks,
  about?: NamedRunbook['about'],
  telling: readonly Watch[] = [],
  did = '',
): Message {
  const own = about ? named.filter((one) => coversSubject(one.about, about)) : named
  const found = [
    ...own.map(({ about, text }) => ({ of: subjectName(about), text })),
    ...telling.flatMap(({ filter, runbook: text }) =>
      text === undefined ? [] : [{ of: `Watch of ${filterWords(filter)}`, text }],
    ),
  ]
  const whose = about ? `${subjectName(about)} has` : found.length === 1 ? 'There is' : 'There are'
  const rows = found.slice(0, SHOWN).map((one): Line => {
    return [`${one.of}: `, ...runbookParts(runbookOf(one.text, ownHosts))]
  })
  const left = found.length - rows.length
  return card({
    answer: `${did}${whose} ${found.length === 0 ? (about ? 'no runbook' : 'no runbooks yet') : counted(found.length, 'runbook')}`,
    notes: [...rows, ...(left > 0 ? [`and ${grouped(left)} more; name one to see it`] : [])],
    small: [
      'Say what to do when a check goes down: /hc runbook shop* --say "https://… NOTE". A watch can have a runbook of its own: /hc watch --runbook.',
    ],
  })
}

function hostsView(hosts: readonly string[]): Message {
  return card({
    answer:
      hosts.length === 0
        ? 'Links in runbooks are shown as text, and cannot be pressed. To allow a host: /hc runbook-hosts wiki.example.com'
        : `Links in runbooks to ${hosts.join(', ')} can be pressed. Others are shown as text.`,
  })
}
