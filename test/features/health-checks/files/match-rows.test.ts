import { describe, expect, it } from 'vitest'
import { matchRows } from '../../../../src/features/health-checks/files/match-rows.ts'
import { readFile } from '../../../../src/features/health-checks/files/read-file.ts'
import { clientOf, PRODUCTION } from '../../../service/vendor.ts'
import { checkNamed, NEVER_STEADY, SHIFTING, SHORT, startListing } from '../shifting-listing.ts'

const HEAD = 'name,protocol,target,port,frequency,customer_id,uuid'

/** Matches a row with this name and UUID to a check in this listing. */
async function matched(name: string, uuid: string, listing: Parameters<typeof startListing>[0]) {
  await using vendor = await startListing(listing)
  await using service = clientOf(vendor.url)
  const file = `${HEAD}\n${name},HTTPS,${name}.example.com,443,60,1,${uuid}`
  const content = await readFile(Buffer.from(file))
  const { pairs, bad } = await matchRows(service.with(PRODUCTION), content)
  return { about: pairs.map(({ check }) => check?.uuid), ambiguous: bad.map(({ says }) => says) }
}

describe('a row of a file', () => {
  it('finds a check that moved to another page during the read', async () => {
    expect(await matched('c', '', SHIFTING)).toMatchObject({ about: ['uuid-c'] })
  })

  it('finds the check with its UUID, even if no page lists it', async () => {
    const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map(checkNamed)
    const listing = {
      walks: [
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
    expect(await matched('renamed', 'UUID-C', listing)).toMatchObject({ about: ['uuid-c'] })
    expect(await matched('renamed', 'uuid-x', listing)).toMatchObject({ about: [undefined] })
  })

  it('creates no check if an unreadable one may be the same', async () => {
    const listing = { walks: [{ pages: [[checkNamed('a'), { name: 'c' }]], totals: [2] }] }
    const { about, ambiguous } = await matched('c', '', listing)
    expect(about).toEqual([])
    expect(ambiguous).toEqual([expect.stringContaining('This health check may already exist')])
    expect(await matched('a', '', listing)).toMatchObject({ about: ['uuid-a'], ambiguous: [] })
  })

  it('creates no check while the list is incomplete, and says so', async () => {
    expect(await matched('c', '', SHORT)).toEqual({
      about: [],
      ambiguous: [
        'This health check may already exist. The service’s list is incomplete: 2 health checks are missing from it.',
      ],
    })
    expect(await matched('renamed', 'uuid-c', SHORT)).toMatchObject({ about: ['uuid-c'], ambiguous: [] })
    expect(await matched('a', '', SHORT)).toMatchObject({ about: ['uuid-a'], ambiguous: [] })
  })

  it('isn’t compared with a list that never stops changing', async () => {
    await expect(matched('c', '', NEVER_STEADY)).rejects.toThrow('The file wasn’t compared.')
  })
})
