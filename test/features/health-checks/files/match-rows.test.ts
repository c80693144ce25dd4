import { describe, expect, it } from 'vitest'
import { matchRows } from '../../../../src/features/health-checks/files/match-rows.ts'
import { readFile } from '../../../../src/features/health-checks/files/read-file.ts'
import { createClient, PRODUCTION } from '../../../service/vendor.ts'
import { ALWAYS_CHANGING, checkNamed, INCOMPLETE, SHIFTING, startListing } from '../shifting-listing.ts'

const HEADER = 'name,protocol,target,port,frequency,customer_id,uuid'

/** Matches a row with this name and UUID to a check in this listing. */
async function matchRow(name: string, uuid: string, listing: Parameters<typeof startListing>[0]) {
  await using vendor = await startListing(listing)
  await using service = createClient(vendor.url)
  const file = `${HEADER}\n${name},HTTPS,${name}.example.com,443,60,1,${uuid}`
  const content = await readFile(Buffer.from(file))
  const { pairs, bad } = await matchRows(service.with(PRODUCTION), content)
  return { matchedUuids: pairs.map(({ check }) => check?.uuid), errors: bad.map(({ reason }) => reason) }
}

/** The lines of a file that can be used, and the problems of the others. */
async function matchFile(file: string, listing: Parameters<typeof startListing>[0]) {
  await using vendor = await startListing(listing)
  await using service = createClient(vendor.url)
  const { pairs, bad } = await matchRows(service.with(PRODUCTION), await readFile(Buffer.from(file)))
  return {
    lines: pairs.map(({ row }) => row.line),
    errors: bad.map(({ line, reason }) => `Line ${line}: ${reason}`),
  }
}

describe('a row of a file', () => {
  it('matches a check that moved to another page during the read', async () => {
    expect(await matchRow('c', '', SHIFTING)).toMatchObject({ matchedUuids: ['uuid-c'] })
  })

  it('matches the check with its UUID even if no page lists it', async () => {
    const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map(checkNamed)
    const listing = {
      reads: [
        {
          pages: [
            [a, b],
            [d, e],
          ],
          totals: [4, 4],
        },
      ],
      details: [c],
    }
    expect(await matchRow('renamed', 'UUID-C', listing)).toMatchObject({ matchedUuids: ['uuid-c'] })
    expect(await matchRow('renamed', 'uuid-x', listing)).toMatchObject({ matchedUuids: [undefined] })
  })

  it('doesn’t create a check if an unreadable one may be the same', async () => {
    const listing = { reads: [{ pages: [[checkNamed('a'), { name: 'c' }]], totals: [2] }] }
    const { matchedUuids, errors } = await matchRow('c', '', listing)
    expect(matchedUuids).toEqual([])
    expect(errors).toEqual([expect.stringContaining('This health check may already exist')])
    expect(await matchRow('a', '', listing)).toMatchObject({ matchedUuids: ['uuid-a'], errors: [] })
  })

  it('doesn’t create a check while the listing is incomplete, and says why', async () => {
    expect(await matchRow('c', '', INCOMPLETE)).toEqual({
      matchedUuids: [],
      errors: [
        'This health check may already exist. The service’s list is incomplete: 2 health checks are missing from it.',
      ],
    })
    expect(await matchRow('renamed', 'uuid-c', INCOMPLETE)).toMatchObject({
      matchedUuids: ['uuid-c'],
      errors: [],
    })
    expect(await matchRow('a', '', INCOMPLETE)).toMatchObject({ matchedUuids: ['uuid-a'], errors: [] })
  })

  it('isn’t matched if the listing keeps changing', async () => {
    await expect(matchRow('c', '', ALWAYS_CHANGING)).rejects.toThrow('The file wasn’t compared.')
  })

  it.each([
    {
      name: 'deletes',
      rows: ['a,TCP,a.example.com,25,60,1,uuid-a,yes', 'a,TCP,a.example.com,25,60,1,,'],
      reason: 'The health check that line 2 deletes has this name now. Import this row once that’s done.',
    },
    {
      name: 'renames',
      rows: ['c,TCP,a.example.com,25,60,1,uuid-a,', 'A,TCP,a.example.com,25,60,1,,'],
      reason: 'The health check that line 2 renames has this name now. Import this row once that’s done.',
    },
    {
      name: 'renames, even if it only exchanges names',
      rows: ['c,TCP,a.example.com,25,60,1,uuid-a,', 'a,TCP,a.example.com,25,60,1,uuid-b,'],
      reason: 'The health check that line 2 renames has this name now. Import this row once that’s done.',
    },
  ])('doesn’t take the name of a check that another row $name', async ({ rows, reason }) => {
    const listing = { reads: [{ pages: [['a', 'b'].map(checkNamed)], totals: [2] }] }
    const { lines, errors } = await matchFile([`${HEADER},delete`, ...rows].join('\n'), listing)
    expect({ lines, errors }).toEqual({ lines: [2], errors: [`Line 3: ${reason}`] })
  })

  it('may take a name that only another customer’s check has', async () => {
    const other = { ...checkNamed('b'), customer_id: 2 }
    const listing = { reads: [{ pages: [[checkNamed('a'), other]], totals: [2] }] }
    expect(await matchFile('name,uuid\nb,uuid-a', listing)).toEqual({ lines: [2], errors: [] })
  })
})
