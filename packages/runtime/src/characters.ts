// Characters that look like others, or like nothing. Each is the inside of a character class, for an expression with the flag `u`.

/** Never visible: zero-width spaces, direction marks, soft hyphens, fillers, tags, and annotation marks. */
export const INVISIBLE = String.raw`\p{Default_Ignorable_Code_Point}\ufff9-\ufffb`
/** The invisible ones that are a part of emoji and of words in some scripts: joiners and variation selectors. */
export const JOINING = String.raw`\u200c\u200d\p{Variation_Selector}`
/** The invisible letters in the flag emoji of England, Scotland, and Wales. */
export const TAGS = String.raw`\u{e0020}-\u{e007f}`

export const DASHES = String.raw`\u2010-\u2015\u2212\ufe58\ufe63\uff0d`
export const DOUBLE_QUOTES = String.raw`\u201c-\u201f\u00ab\u00bb\u2033\u301d-\u301f\uff02`
export const SINGLE_QUOTES = String.raw`\u2018-\u201b\u2032\u00b4\u2039\u203a\uff07`
