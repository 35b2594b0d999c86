/** Issuers that print names in other scripts than Latin, mostly beside it. Text recognition reads Latin and Chinese alone. */

const cyrillic = new Set('BGR BLR BYS KAZ KGZ MKD MNE MNG RUS SCG SRB SUN TJK UKR YUG'.split(' '))

const others = new Set(
  (
    'AFG ARE ARM BGD BHR BUR CHN CYP DZA EGY ERI ETH GEO GRC HKG IND IRN IRQ ISR JOR JPN KHM KOR KWT LAO LBN LBY LKA MAC MAR MMR NPL OMN ' +
    'PAK PRK PSE QAT SAU SDN SYR THA TUN TWN YEM YMD'
  ).split(' '),
)

export const printsCyrillic = (state: string | null | undefined): boolean => cyrillic.has(state ?? '')

export const printsOtherScripts = (state: string | null | undefined): boolean =>
  others.has(state ?? '') || printsCyrillic(state)
