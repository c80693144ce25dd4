import { createHash } from 'node:crypto'
import type { Fields } from '../protocol/json.ts'

/** Sizes of a profile's images, in pixels, as in Slack. */
const SIZES = [24, 32, 48, 72, 192, 512] as const
/** Sizes of an app's icons. */
const ICON_SIZES = [36, 48, 72] as const

const digest = (id: string): Buffer => createHash('sha256').update(id).digest()

/** The `color` field of a user, derived from the ID. */
export const nameColor = (id: string): string =>
  [...digest(id).subarray(0, 3)].map((part) => (64 + (part >> 1)).toString(16).padStart(2, '0')).join('')

const avatarHash = (id: string): string => digest(id).toString('hex').slice(0, 12)

const imageUrl = (url: string, id: string, size: number): string =>
  `${url}/avatars/${id}-${avatarHash(id)}-${size}.png`

const imageUrls = (url: string, id: string, sizes: readonly number[]): Fields =>
  Object.fromEntries(sizes.map((size) => [`image_${size}`, imageUrl(url, id, size)]))

/** The image fields of a user's profile. */
export const profilePictures = (url: string, id: string): Fields => ({
  avatar_hash: avatarHash(id),
  ...imageUrls(url, id, SIZES),
})

/** The `icons` field of an app. */
export const appIcons = (url: string, id: string): Fields => imageUrls(url, id, ICON_SIZES)
