import { page, reply, startVendor } from '../../service/vendor.ts'

const PAGE = 2

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

interface Walk {
  pages: readonly (readonly unknown[])[]
  /** What each page says of how many there are. */
  totals: readonly number[]
}

interface Listing {
  /** One for each time that the list is read; the last one for all that follow. */
  walks: readonly Walk[]
  details?: readonly (ReturnType<typeof checkNamed> | undefined)[]
}

/** A service whose list is another one whenever it is read from its beginning. */
export function startListing({ walks, details = [] }: Listing) {
  let walk = -1
  return startVendor((response, { url }) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    const uuid = pathname.split('/')[4]
    if (uuid) {
      const data = details.find((one) => one?.uuid === uuid)
      return data ? reply(response, { data }) : reply(response, {}, 404)
    }
    const offset = Number(searchParams.get('offset'))
    if (offset === 0) walk += 1
    const { pages, totals } = walks[Math.min(walk, walks.length - 1)] ?? { pages: [], totals: [] }
    const at = offset / PAGE
    return reply(response, page(pages[at] ?? [], { total: totals[at] ?? 0, limit: PAGE, offset }))
  })
}

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(checkNamed)

/** B is deleted while the first walk is between its pages, so that c stands in neither. */
export const SHIFTING: Listing = {
  walks: [
    { pages: [[a, b], [d]], totals: [4, 3] },
    { pages: [[a, c], [d]], totals: [3, 3] },
  ],
}

/** One is deleted, and another one added, in every walk. */
export const NEVER_STEADY: Listing = {
  walks: [
    [a, b],
    [a, d],
    [b, d],
  ].map((first) => ({ pages: [first, [c]], totals: [4, 3] })),
}

/** Two of five stand on no page, however often the list is read. */
export const SHORT: Listing = { walks: [{ pages: [[a, b], [d]], totals: [5, 5] }], details: [c] }
