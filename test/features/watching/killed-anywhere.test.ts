import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { newId } from '@signalman/runtime'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { getPollGroup, WATCH_WORK } from '../../../src/features/watching/rows/work.ts'
import { ALL_CHECKS } from '../../../src/features/watching/rules/watch.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'
import { bundleProgram } from '../../program.ts'
import { createRandom, readSeed } from '../../random.ts'
import type { ChildRequest, ParentReply } from './killed-protocol.ts'

/** How often the process is killed on each database. */
const KILLS = Number(process.env.KILLS ?? 3)
const NAMES = ['a', 'b', 'c']
const SCOPE = { workspaceId: 'T1', environment: 'production' } as const
const PAGE = [{ afterMs: 600_000, responders: [{ name: '@on-call', id: 'S1', isGroup: true }] }]
const CHILD = 'test/features/watching/killed-child.ts'

/** A message in the channel. */
interface Posted {
  text: string
  readonly thread: string | undefined
}

describe.each(SHARED_DATABASES)('a process that is killed anywhere, on $name', ({ start }) => {
  it('has posted each card, note, page, and reply once in the end', {
    timeout: 60_000 + KILLS * 15_000,
  }, async () => {
    await using database = await start()
    const random = createRandom(readSeed())
    let nowMs = Date.UTC(2026, 10, 28)
    const channel = new Map<string, Posted>()
    const down = new Set<string>()
    let rounds = 0
    await using store = await openStore({ ...database, clock: () => new Date(nowMs) })
    await store.watching.watches.add({
      ...{ id: newId(), ...SCOPE, channelId: 'C1', filter: ALL_CHECKS, afterBadPolls: 1, page: PAGE },
      ...{ ownerId: 'U9' },
    })
    const key = { workspaceId: '', kind: WATCH_WORK.poll, key: String(getPollGroup(SCOPE)) }
    const { id: workId = '' } = (await store.work.claim(key, 'poller')) ?? {}

    function poll(): Partial<ParentReply> {
      nowMs += 60_000
      for (const name of NAMES) if (random.next() < 0.25 && !down.delete(name)) down.add(name)
      const up = NAMES.filter((name) => !down.has(name))
      return { nowMs, down: [...down], up, presses: random.next() < 0.1 }
    }
    function answer({ id, kind, postId = '', text = '', thread }: ChildRequest): ParentReply {
      if (kind === 'post') channel.set(postId, { text, thread })
      const edited = kind === 'edit' ? channel.get(postId) : undefined
      if (edited) edited.text = text
      if (kind === 'done') rounds += 1
      return { id, nowMs, isFound: channel.has(postId), ...(kind === 'poll' && poll()) }
    }

    /** Runs a process until it's killed, or until it has polled and sent everything `untilRounds` times. */
    async function run(
      killAfterMs: number | undefined,
      untilRounds = Number.POSITIVE_INFINITY,
    ): Promise<void> {
      const { args, env } = bundleProgram(CHILD)
      const child = spawn(process.execPath, [...args, database.url, database.keys, workId], {
        ...{ env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] },
      })
      const hasStarted = once(child, 'message')
      child.on('message', (request: ChildRequest) => {
        const reply = answer(request)
        if (child.connected) child.send(reply, () => undefined)
        if (rounds >= untilRounds) child.kill('SIGKILL')
      })
      await hasStarted
      if (killAfterMs !== undefined) setTimeout(() => child.kill('SIGKILL'), killAfterMs)
      // All that it has sent has arrived then.
      await once(child, 'close')
    }

    for (let kill = 0; kill < KILLS; kill += 1) await run(random.next() * 900)
    rounds = 0
    await run(undefined, 3)

    const { rows } = await openDatabase(database.url)
    const posts = await rows.selectFrom('watch_post').selectAll().execute()
    const pending = posts.filter(({ shown_version, version }) => shown_version < version)
    expect(pending).toEqual([])
    const sent = posts.flatMap(({ ts }) => ts ?? [])
    expect([...channel.keys()].toSorted()).toEqual(sent.toSorted())
    const lines = await rows.selectFrom('incident_line').selectAll().execute()
    const perIncident = Map.groupBy(lines, ({ incident_id }) => incident_id)
    expect([...perIncident.values()].filter((all) => all.length !== 1)).toEqual([])
    const before = posts.length
    await store.watching.update('T1', 'production')
    expect(await rows.selectFrom('watch_post').selectAll().execute()).toHaveLength(before)
    expect(sent.length).toBeGreaterThan(0)
  })
})
