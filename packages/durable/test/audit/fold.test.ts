import { expect, it } from 'vitest'
import { foldRows } from '../../src/audit/fold.ts'
import { toRow } from '../../src/audit/row.ts'

/** Creates pages of rows, newest first, like the search. Each letter is the reference of a row. */
async function* createPages(...pages: string[]) {
  let sequence = pages.join('').length
  for (const page of pages)
    yield [...page].map((reference) => ({
      ...toRow({
        workspaceId: 'T1',
        at: new Date(0),
        actor: { userId: 'U1' },
        verb: 'v',
        outcome: 'done',
        reference,
      }),
      sequence: sequence--,
    }))
}

it.each([
  { pages: ['abc'], limit: 5, folds: ['a1', 'b1', 'c1'], before: undefined },
  { pages: ['aab', 'ac'], limit: 5, folds: ['a3', 'b1', 'c1'], before: undefined },
  { pages: ['aab', 'aca'], limit: 2, folds: ['a3', 'b1'], before: 3 },
  { pages: ['a'.repeat(6000)], limit: 2, folds: ['a5000'], before: 1001 },
  { pages: [], limit: 2, folds: [], before: undefined },
])(
  'groups rows across the pages $pages, and returns the first $limit groups',
  async ({ pages, limit, folds, before }) => {
    const page = await foldRows(createPages(...pages), limit)
    expect(page.folds.map(({ entry, rows }) => `${entry.reference}${rows}`)).toEqual(folds)
    expect(page.before).toBe(before)
  },
)
