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
  /** The total that each page reports. */
  totals: readonly number[]
}

interface Listing {
  /** One for each read of the list. The last one repeats. */
  walks: readonly Walk[]
  details?: readonly (ReturnType<typeof checkNamed> | undefined)[]
}

/** A service whose list changes with every read. */
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

/** B is deleted between the pages of the first read, so c is on neither page. */
export const SHIFTING: Listing = {
  walks: [
    { pages: [[a, b], [d]], totals: [4, 3] },
    { pages: [[a, c], [d]], totals: [3, 3] },
  ],
}

/** In every read, one is deleted and another one is added. */
export const NEVER_STEADY: Listing = {
  walks: [
    [a, b],
    [a, d],
    [b, d],
  ].map((first) => ({ pages: [first, [c]], totals: [4, 3] })),
}

/** Two of five are on no page, however often the list is read. */
export const SHORT: Listing = { walks: [{ pages: [[a, b], [d]], totals: [5, 5] }], details: [c] }
