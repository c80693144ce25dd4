import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib'

type Decoder = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

const DECODERS: Record<string, Decoder> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
}

/** The plain bytes, or what is wrong with the packed ones. */
export type Decoded = { bytes: Buffer; fault?: undefined } | { bytes?: undefined; fault: string }

/**
 * Undoes the content encoding of an answer. None was asked for, but a proxy may compress all the same: decoding stops
 * at `maxBytes`, so that a small answer cannot become a large one.
 */
export async function decode(
  bytes: Buffer,
  encoding: string | undefined,
  maxBytes: number,
): Promise<Decoded> {
  const names = (encoding ?? '').toLowerCase().split(',')
  const applied = names.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity')
  const [name, ...more] = applied
  if (name === undefined || bytes.length === 0) return { bytes }
  const decoder = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined
  if (!decoder || more.length > 0) return { fault: 'compressed in a way that was not asked for' }
  try {
    return { bytes: await decoder(bytes, { maxOutputLength: maxBytes }) }
  } catch (error) {
    const tooLarge = error instanceof RangeError
    return { fault: tooLarge ? `larger than ${maxBytes} bytes once unpacked` : 'cannot be unpacked' }
  }
}
