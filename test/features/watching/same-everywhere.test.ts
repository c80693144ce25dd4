import { expect, it } from 'vitest'
import { changeWatching } from '../../decide.ts'
import { quickOrLong } from '../../long.ts'
import { createRandom, readSeed } from '../../random.ts'
import { WORKSPACE, type World } from '../../world.ts'
import {
  CHANNEL,
  setStatus,
  startWatchedWorld,
  untilPolled,
  untilPolledAgain,
  untilPosted,
} from './watched-world.ts'

const NAMES = ['web-1', 'web-2', 'db-1', 'db-2']
const SCOPE = { workspaceId: WORKSPACE, environment: 'production' } as const
const PEOPLE = [
  { userId: 'U0MEMBER01', name: 'Member' },
  { userId: 'U0ADMIN001', name: 'Admin' },
]
const STEPS = quickOrLong('SAME_EVERYWHERE', { quick: 6, long: 100 })

interface Part {
  readonly type?: string
  readonly text?: unknown
  readonly timestamp?: number
  readonly elements?: readonly Part[]
}

/** The lines that somebody reads, with the times as numbers. */
function toLines(blocks: unknown): string[] {
  const toText = ({ text, timestamp, elements = [] }: Part): string =>
    timestamp === undefined
      ? `${typeof text === 'string' ? text : ''}${elements.map(toText).join('')}`
      : `${timestamp}`
  // Cast: only these parts of blocks are used.
  const rich = (blocks as readonly Part[]).filter(({ type }) => type === 'rich_text')
  return rich.flatMap((block) => toText(block).split('\n'))
}

/** What is said to be down, since when, and who is on it since when. */
function readDown(blocks: unknown): string {
  const lines = toLines(blocks)
  const down = lines.flatMap((line) => {
    const [, since] = /^🔴 .*?since (?:at least )?(\d+)/.exec(line) ?? []
    const name = NAMES.find((one) => line.includes(one))
    if (since === undefined || name === undefined) return []
    // A card about one check says below who is on it.
    const about = line.includes(`${name} is down`) ? lines.join(' ') : line
    const [, who = 'nobody'] = /(\w+ has been on it since \d+)/.exec(about) ?? []
    return [`${name} since ${since}: ${who}`]
  })
  return [...new Set(down)].sort().join('\n')
}

async function readEverywhere(world: World, channelId: string) {
  const { member } = world.slack
  const ask = async (line: string) => (await member.command('/hc', line, { channel: CHANNEL })).message
  const posts = await untilPosted(world, channelId, () => true)
  const cards = posts.filter(({ ephemeral }) => !ephemeral).map(({ blocks }) => readDown(blocks))
  return {
    who: readDown((await ask('who'))?.blocks),
    summary: readDown((await ask(''))?.blocks),
    home: readDown((await member.openHome()).home?.blocks),
    cards: [...new Set(cards.flatMap((card) => (card ? card.split('\n') : [])))].sort().join('\n'),
  }
}

it(`says the same in /hc who, /hc, App Home, and on cards (seed ${readSeed()})`, async () => {
  const random = createRandom(readSeed())
  const { world, channelId } = await startWatchedWorld({ checks: NAMES.map((name) => ({ name })) })
  await using _ = world
  const { store } = world.app
  await untilPolled(world)
  const onIt = new Map<string, string>()
  const change = async (): Promise<unknown> => {
    const [known] = await store.watching.history.listDown(SCOPE)
    const card =
      known && random.below(2) === 0
        ? await store.watching.onIt.findCard(WORKSPACE, known.id, channelId)
        : undefined
    const person = random.oneOf(PEOPLE)
    const isTake = random.below(3) > 0
    if (card)
      return changeWatching(store, WORKSPACE, async ({ onIt }) =>
        isTake ? onIt.take(card.id, person) : onIt.stepDown(card.id, person.userId),
      )
    const name = random.oneOf(NAMES)
    const isDown = onIt.delete(name)
    if (!isDown) onIt.set(name, 'nobody')
    await setStatus(world, name, isDown ? 'HEALTHY' : 'UNHEALTHY')
    return untilPolledAgain(world, 1)
  }
  for (let step = 0; step < STEPS; step += 1) {
    await change()
    const isSame = async () => {
      const stored = await store.watching.history.listDown(SCOPE)
      const expected = stored.map(({ check, onIt }) => `${check.name} ${onIt?.name ?? 'nobody'}`).sort()
      const said = await readEverywhere(world, channelId)
      const [first, another] = new Set(Object.values(said))
      const names = first?.match(/^\S+|(?<=: )\w+/gm)?.join(' ')
      return another === undefined && (names ?? '') === expected.join(' ') ? undefined : said
    }
    await expect.poll(isSame).toBeUndefined()
  }
})
