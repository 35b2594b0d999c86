/** Codes of states and organisations of ICAO Doc 9303-3, section 5: those of ISO 3166-1, and further ones. */

const iso =
  'ABW AFG AGO AIA ALA ALB AND ARE ARG ARM ASM ATA ATF ATG AUS AUT AZE BDI BEL BEN BES BFA BGD BGR BHR BHS BIH BLM BLR BLZ BMU BOL ' +
  'BRA BRB BRN BTN BVT BWA CAF CAN CCK CHE CHL CHN CIV CMR COD COG COK COL COM CPV CRI CUB CUW CXR CYM CYP CZE DEU DJI DMA DNK DOM ' +
  'DZA ECU EGY ERI ESH ESP EST ETH FIN FJI FLK FRA FRO FSM GAB GBR GEO GGY GHA GIB GIN GLP GMB GNB GNQ GRC GRD GRL GTM GUF GUM GUY ' +
  'HKG HMD HND HRV HTI HUN IDN IMN IND IOT IRL IRN IRQ ISL ISR ITA JAM JEY JOR JPN KAZ KEN KGZ KHM KIR KNA KOR KWT LAO LBN LBR LBY ' +
  'LCA LIE LKA LSO LTU LUX LVA MAC MAF MAR MCO MDA MDG MDV MEX MHL MKD MLI MLT MMR MNE MNG MNP MOZ MRT MSR MTQ MUS MWI MYS MYT NAM ' +
  'NCL NER NFK NGA NIC NIU NLD NOR NPL NRU NZL OMN PAK PAN PCN PER PHL PLW PNG POL PRI PRK PRT PRY PSE PYF QAT REU ROU RUS RWA SAU ' +
  'SDN SEN SGP SGS SHN SJM SLB SLE SLV SMR SOM SPM SRB SSD STP SUR SVK SVN SWE SWZ SXM SYC SYR TCA TCD TGO THA TJK TKL TKM TLS TON ' +
  'TTO TUN TUR TUV TWN TZA UGA UKR UMI URY USA UZB VAT VCT VEN VGB VIR VNM VUT WLF WSM YEM ZAF ZMB ZWE'

/**
 * Doc 9303-3, section 5, parts B to E: Germany, British nationals, the European Union, the United Nations, organisations, persons
 * without nationality, specimens; and what zones have for Kosovo (`XXK` in Germany) and ICAO itself.
 */
const others =
  'D EUE GBD GBN GBO GBP GBS IAO RKS UNA UNK UNO UTO XAA XBA XCC XCE XCO XDC XEC XES XIM XKX XMP XOM XPO XXA XXB XXC XXK XXX'

/** Codes of states under another code today, and of those that are no more: ISO 3166-3, since there are zones. */
const renamed: Readonly<Record<string, string>> = {
  ...{ BUR: 'MMR', BYS: 'BLR', FXX: 'FRA', HVO: 'BFA', ROM: 'ROU', TMP: 'TLS', ZAR: 'COD' },
  ...{ DEU: 'D', XKX: 'RKS', XXK: 'RKS' },
}
const withdrawn = 'ANT CSK DDR NTZ SCG SUN YMD YUG'

const codes: ReadonlySet<string> = new Set([
  ...[iso, others, withdrawn].flatMap((list) => list.split(' ')),
  ...Object.keys(renamed),
])

/** Whether a code without fillers is one of them. */
export const isState = (code: string): boolean => codes.has(code)

/** One code of those that stand for the same state. */
export const toUsualState = (code: string): string => renamed[code] ?? code
