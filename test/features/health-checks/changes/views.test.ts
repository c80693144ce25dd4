import { expect, it } from 'vitest'
import { changedView } from '../../../../src/features/health-checks/changes/views.ts'

/** What the Undo button of a job asks that has done this. */
function undoAsks(done: { create: number; edit: number; delete: number }): string {
  const total = done.create + done.edit + done.delete
  const ended = {
    counts: { ready: 0, begun: 0, done: total, found: 0, refused: 0 },
    done,
    found: { create: 0, edit: 0, delete: 0 },
    unread: 0,
    isStopped: false,
    problem: undefined,
    refused: [],
    partly: [],
    half: 0,
    carried: { watches: 0, mutes: 0 },
    hasReport: false,
    canGoOn: false,
  }
  const about = { verb: '/hc import', title: 'a.csv', fileName: 'a.csv', planned: done }
  return JSON.stringify(changedView('1', about, ended, 'production').blocks)
}

it('says before an undo how many health checks it deletes, and how many it creates again', () => {
  const some = undoAsks({ create: 1, edit: 1, delete: 2 })
  expect(some).toContain(
    '1 health check that this has created is deleted. 1 health check goes back to what it was. 2 health checks that this has deleted are created again. What somebody has changed since is left as it is.',
  )
  const edits = undoAsks({ create: 0, edit: 1200, delete: 0 })
  expect(edits).toContain('1,200 health checks go back to what they were. What somebody has')
  expect(edits).not.toContain('deleted')
})
