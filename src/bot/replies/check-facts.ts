import { clip, oneLine, utc } from '@signalman/slack'

const NAME = 120
const TARGET = 200
const PROTOCOL = 20
const PERSON = 100

/** A health check's name for a sentence, a heading or a line of a list; its UUID when it has none. */
export const checkName = ({ name, uuid }: { name: string; uuid: string }): string =>
  clip(oneLine(name), NAME) || uuid

/** `HTTPS shop.example.com`; empty when the service said neither. */
export const checkAddress = ({
  protocol,
  target,
}: {
  protocol?: string | undefined
  target?: string | undefined
}): string =>
  [protocol && clip(oneLine(protocol), PROTOCOL), target && clip(oneLine(target), TARGET)]
    .filter(Boolean)
    .join(' ')

/** ` by jo@example.com on 2026-11-20 14:05 UTC`, as far as the service says who changed something last, and when. */
export function lastChange({
  modifiedBy,
  modifiedAt,
}: {
  modifiedBy?: string | undefined
  modifiedAt?: Date | undefined
}): string {
  const by = modifiedBy ? ` by ${clip(oneLine(modifiedBy), PERSON)}` : ''
  return `${by}${modifiedAt ? ` on ${utc(modifiedAt)}` : ''}`
}
