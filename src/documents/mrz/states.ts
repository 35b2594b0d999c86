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

/** Germany, British nationals, the European Union, the United Nations, Kosovo, organisations, persons without nationality, specimens. */
const others =
  'D GBD GBN GBO GBP GBS EUE UNO UNA UNK RKS XAA XBA XIM XCC XCE XCO XEC XES XMP XOM XPO XDC XXA XXB XXC XXX IAO UTO ' +
  // Withdrawn codes that documents still have.
  'ANT NTZ SCG TMP YUG ZAR'

const codes: ReadonlySet<string> = new Set(`${iso} ${others}`.split(' '))

/** Whether a code without fillers is one of them. */
export const isState = (code: string): boolean => codes.has(code)

/** The code of ISO 3166-1; others are returned as they are. Germany is the only state with a code of its own. */
export const toIsoState = (code: string): string => (code === 'D' ? 'DEU' : code)
