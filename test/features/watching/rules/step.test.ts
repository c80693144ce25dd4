import { expect, it } from 'vitest'
import { observe } from '../../../../src/domain/outages/incident.ts'
import { prepareWatch } from '../../../../src/features/watching/rules/matching.ts'
import { parsePageSteps } from '../../../../src/features/watching/rules/page-step.ts'
import { type Changes, type Line, type Post, step } from '../../../../src/features/watching/rules/step.ts'
import { ALL_CHECKS, type Watch } from '../../../../src/features/watching/rules/watch.ts'

const MINUTE_MS = 60_000
const START = Date.parse('2026-11-28T00:00:00Z')
const CHECK = { uuid: 'u1', name: 'web' }

/** Whom a channel pages, and when, while a check is down and nobody is on it. The messages are sent at once. */
function listPages(escalate: string, minutes: number): string[] {
  const watch = {
    ...{ id: 'w', workspaceId: 'T1', channelId: 'C1', environment: 'production', ownerId: 'U1' },
    ...{ filter: ALL_CHECKS, afterBadPolls: 1, page: parsePageSteps(escalate), madeAt: new Date(START) },
  } as const satisfies Watch
  const posts = new Map<string, Post>()
  const lines = new Map<string, Line>()
  const sighting = {
    ...{ at: new Date(START), seenSince: new Date(START), isFirst: false },
    ...{ bad: new Map([[CHECK.uuid, CHECK]]), good: new Set<string>() },
    ...{ installing: new Set<string>(), deleted: new Set<string>() },
  }
  const incidents = observe(new Map(), sighting, () => 'i1')
  const pages: string[] = []
  for (let minute = 0; minute <= minutes; minute += 1) {
    const now = new Date(START + minute * MINUTE_MS)
    const channel = {
      ...{ channelId: 'C1', watches: [prepareWatch(watch)], isPaused: false },
      isSilenced: () => false,
    }
    const state = {
      ...{ channels: [channel], incidents, lines: [...lines.values()], posts: [...posts.values()] },
      seenSince: new Date(START),
    }
    const changes: Changes = step(state, now, () => `p${minute}.${posts.size}`)
    for (const line of changes.lines) lines.set(line.incidentId, line)
    for (const { isNew, ...post } of changes.posts) {
      if (isNew && post.responders)
        pages.push(`${minute}: ${post.responders.map(({ name }) => name).join(' ')}`)
      if (post.kind === 'card') posts.set(post.id, { ...post, attemptedAt: post.attemptedAt ?? now })
    }
  }
  return pages
}

it('pages again and again with one step', () => {
  expect(listPages('10m @on-call', 35)).toEqual(['10: @on-call', '20: @on-call', '30: @on-call'])
})

it('pages the people of each step, and then those of the last one again', () => {
  expect(listPages('10m @on-call, 30m @lead @boss', 75)).toEqual([
    '10: @on-call',
    '30: @lead @boss',
    '50: @lead @boss',
    '70: @lead @boss',
  ])
})
