import { page, reply, startVendor } from '../../service/vendor.ts'

const PAGE_SIZE = 2

export const checkNamed = (name: string) => ({
  uuid: `uuid-${name}`,
  name,
  status: 'HEALTHY',
  protocol: 'HTTPS',
  target: `${name}.example.com`,
  port: 443,
  frequency: 60,
  customer_id: 1,
})

interface ListRead {
  pages: readonly (readonly unknown[])[]
  /** The total that each page reports. */
  totals: readonly number[]
}

interface Listing {
  /** The results of successive reads of the list. The last one repeats. */
  reads: readonly ListRead[]
  details?: readonly (ReturnType<typeof checkNamed> | undefined)[]
}

/** A service whose list changes with every read. */
export function startListing({ reads, details = [] }: Listing) {
  let read = -1
  return startVendor((response, { url }) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    const uuid = pathname.split('/')[4]
    if (uuid) {
      const data = details.find((check) => check?.uuid === uuid)
      return data ? reply(response, { data }) : reply(response, {}, 404)
    }
    const offset = Number(searchParams.get('offset'))
    if (offset === 0) read += 1
    const { pages, totals } = reads[Math.min(read, reads.length - 1)] ?? { pages: [], totals: [] }
    const pageIndex = offset / PAGE_SIZE
    return reply(
      response,
      page(pages[pageIndex] ?? [], { total: totals[pageIndex] ?? 0, limit: PAGE_SIZE, offset }),
    )
  })
}

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(checkNamed)

/** `b` is deleted after the first page of the first read, so `c` moves to that page and is missed. */
export const SHIFTING: Listing = {
  reads: [
    { pages: [[a, b], [d]], totals: [4, 3] },
    { pages: [[a, c], [d]], totals: [3, 3] },
  ],
}

/** In every read, one check is deleted and another one is added. */
export const ALWAYS_CHANGING: Listing = {
  reads: [
    [a, b],
    [a, d],
    [b, d],
  ].map((first) => ({ pages: [first, [c]], totals: [4, 3] })),
}

/** Two of five checks are never on a page. */
export const INCOMPLETE: Listing = { reads: [{ pages: [[a, b], [d]], totals: [5, 5] }], details: [c] }
