import { expect, it } from 'vitest'
import { newId, toId } from '../src/new-id.ts'

it('returns unique IDs that can’t be mistaken for flags', () => {
  const ids = Array.from({ length: 5000 }, newId)
  expect(ids.filter((id) => !/^[A-Za-z0-9][\w-]{21}$/.test(id))).toEqual([])
  expect(new Set(ids).size).toBe(ids.length)
  // A button's line was once rejected with: “There is no flag --hnqcdnhyswxusjcbiaoeq”.
  expect(toId(Buffer.from('-hnqcdnhyswxusjcbiaoeq', 'base64url'))).toBe('0hnqcdnhyswxusjcbiaoeg')
})
