import { expect, it } from 'vitest'
import { refuseNotEmpty } from '../../../src/store/backup/refuse-not-empty.ts'

it.each([
  {
    file: undefined,
    says: /^The database is not empty, .*: name another one in DATABASE_URL, or add --replace/,
  },
  {
    file: '/data/s.db',
    says: /^The database \/data\/s\.db is not empty, .*: name another file in DATABASE_URL, or add --replace/,
  },
])('refuses what is not empty, unless it is to be replaced ($file)', ({ file, says }) => {
  const named = file === undefined ? {} : { file }
  expect(() => refuseNotEmpty({ isReplacing: false, ...named })).toThrow(says)
  expect(() => refuseNotEmpty({ isReplacing: true, ...named })).not.toThrow()
})
