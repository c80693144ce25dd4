/** Characters that people take for a Latin letter; compared by eye in common fonts, November 2026. */
const LOOKS_LIKE: Readonly<Record<string, string>> = {
  a: 'аαɑаⱥƛ@4',
  b: 'ЬьБϐƅɓƄв8',
  c: 'сϲƈⅽсᴄ¢',
  d: 'ԁɗđⅾժ',
  e: 'еεеєҽɛ3',
  f: 'ƒſϝ',
  g: 'ɡɢցԍ9',
  h: 'һհнʜ',
  i: 'іıɩιӏⅰîї',
  j: 'јϳʝ',
  k: 'кκҟƙ',
  l: 'ӏⅼɫʟ1|',
  m: 'мⅿɱʍ',
  n: 'пηոṇńո',
  o: 'оοσօөഠ0',
  p: 'рρϼƿ',
  q: 'ԛզɋ',
  r: 'гɾꭇ',
  s: 'ѕƽʂꜱ5',
  t: 'тτƭţ7',
  u: 'υцսʋ',
  v: 'ѵνⅴ',
  w: 'ԝшωѡ',
  x: 'хχⅹ',
  y: 'уγүყ',
  z: 'ᴢʐƶ2',
}

/** Pairs of letters that look like one letter. */
const PAIRS: readonly (readonly [RegExp, string])[] = [
  [/rn/g, 'm'],
  [/vv/g, 'w'],
  [/cl/g, 'd'],
  [/nn/g, 'm'],
]

const LETTER_OF = new Map(
  Object.entries(LOOKS_LIKE).flatMap(([letter, signs]) => [...signs].map((sign) => [sign, letter] as const)),
)

/** A label as a hurried reader sees it: lower case, no accents, look-alikes replaced by what they imitate. */
export function readsAs(label: string): string {
  const plain = label.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '')
  return [...plain].map((sign) => LETTER_OF.get(sign) ?? sign).join('')
}

/** For comparing: `l`, `i` and `1` become one letter, and so does each pair that looks like one. */
export function blurred(label: string): string {
  const read = readsAs(label).replaceAll('i', 'l')
  return PAIRS.reduce((so, [pair, letter]) => so.replace(pair, letter), read)
}

/** The characters that imitate a letter, as `1 for l`. */
export function disguises(label: string): string[] {
  const found = [...label.toLowerCase()].flatMap((sign) => {
    const bare = sign.normalize('NFKD').replace(/\p{M}/gu, '')
    const letter = LETTER_OF.get(bare) ?? bare
    return letter === sign || letter === '' ? [] : [`${sign} for ${letter}`]
  })
  return [...new Set(found)]
}
