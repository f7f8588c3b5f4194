"""Write the sample's findings: claims with a literature citation, about products of the sample or standing alone.

    python tools/make_findings.py      (after tools/make_sample.py)

The format is described in docs/findings.md. A finding whose `constructed` is true is a bookkeeping error made for the
sample (a lost sign, a mixed datum), of a kind that real compilations contain; every other value is from its citation,
in our words.
"""

from __future__ import annotations

import json
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent / "areorag" / "sample"
ARCHIVE = HERE / "archive"


def rover(prefix: str) -> str:
    """The id of the one rover product whose file starts with `prefix` (ids carry the spacecraft clock)."""
    (found,) = [p.stem for p in ARCHIVE.rglob(f"{prefix}*") if p.suffix in (".xml", ".LBL")]
    return found


def chemin(sol: int) -> str:
    (found,) = [p.stem for p in (ARCHIVE / "msl").glob(f"CMA_*RDR{sol:04d}*")]
    return found


def msl(part: str) -> str:
    (found,) = [p.stem for p in (ARCHIVE / "msl").glob(f"*{part}*.LBL")]
    return found


def zhurong(part: str) -> str:
    rows = (ARCHIVE / "zhurong" / "zhurong_index.csv").read_text("utf-8").splitlines()
    (found,) = [r.split(",")[0] for r in rows if part in r.split(",")[0]]
    return found


CLOSE = {"P": "present", "A": "absent", None: None}


def f(
    key,
    about,
    subject,
    prop,
    value,
    text,
    cite,
    *,
    polarity=None,
    low=None,
    high=None,
    unit=None,
    constructed=False,
    **extra,
):  # type: ignore[no-untyped-def]
    row = {"@id": f"finding:{key}", "about": about, "subject": subject, "property": prop, "value": value,
           "polarity": CLOSE[polarity], "low": low, "high": high, "unit": unit, "text": text, "citation": cite}  # fmt: skip
    if constructed:
        row["constructed"] = True
    return {k: v for k, v in row.items() if v is not None} | extra


FAN, FLOOR, MARGIN = "western fan of Jezero", "floor of Jezero", "marginal carbonate unit of Jezero"
GARNI, GALE_AIR = "slopes of Garni crater, Melas Chasma", "atmosphere of Gale crater"
JEZERO = {"lon_deg": 77.38, "lat_deg": 18.50}

FINDINGS = [
    # --- Jezero, minerals of the western fan and its margin: orbit against ground
    f("jez-carbonate-crism", "FRT000047A3_07_IF166J_MTR3", FAN, "carbonate", "present", "Bands at 2.31 and 2.51 um map Mg-carbonate along the western fan margin.", "Ehlmann et al. 2008, Science 322, 1828; Horgan et al. 2020, Icarus 339, 113526", polarity="P"),
    f("jez-smectite-crism", "FRT000047A3_07_IF166J_MTR3", FAN, "smectite", "present", "Fe/Mg-smectite with bands at 1.9 and 2.3 um is mapped in the layered western fan.", "Goudge et al. 2015, J. Geophys. Res. Planets 120, 775", polarity="P"),
    f("jez-smectite-pixl", rover("pixl_0505"), FAN, "smectite", "not detected in the analysed grains", "Grain chemistry of the abraded sandstone is olivine with carbonate and sulfate; no clay-dominated spots were found.", "Hurowitz et al. 2023, LPSC 54, 2301", polarity="A"),
    f("jez-carbonate-pixl", rover("pixl_1088"), MARGIN, "carbonate", "present", "Mg-Fe carbonate and silica cement rounded olivine grains.", "Horgan et al. 2025, J. Geophys. Res. Planets, margin unit", polarity="P"),
    f("jez-carbonate-crism2", "FRT0001FB74_07_IF166J_MTR3", MARGIN, "carbonate", "present", "The strongest carbonate bands of the crater lie in the marginal unit.", "Horgan et al. 2020, Icarus 339, 113526", polarity="P"),
    f("jez-olivine-scam", rover("supercam_0790"), FAN, "olivine", "present", "Infrared spectra of the upper fan show olivine with carbonate; clay bands are weak.", "Dehouck et al. 2023, LPSC 54, 2862", polarity="P"),
    f("jez-olivine-crism", "FRT0001ECBA_07_IF166J_MTR3", FLOOR, "olivine", "present", "A broad 1 um absorption maps olivine in the lower floor unit.", "Goudge et al. 2015, J. Geophys. Res. Planets 120, 775", polarity="P"),
    f("jez-olivine-garde", rover("supercam_0202"), FLOOR, "olivine", "present, coarse-grained", "Garde is a coarse olivine cumulate with minor carbonate.", "Liu et al. 2022, Science 377, 1513", polarity="P"),
    f("jez-olivine-dourbes", rover("pixl_0257"), FLOOR, "olivine", "present", "X-ray maps show 1-3 mm olivine enclosed by pyroxene.", "Liu et al. 2022, Science 377, 1513", polarity="P"),
    f("jez-sulfate-quartier", rover("sherloc_0304"), FLOOR, "sulfate", "present", "Raman peaks of hydrated sulfate with perchlorate in the abraded patch.", "Scheller et al. 2022, Science 378, 1105", polarity="P"),
    f("jez-organics-sherloc", rover("sherloc_0161"), "Guillaumes abraded patch", "organic matter", "fluorescence compatible with aromatic organics", "Deep-UV fluorescence at 275-340 nm is compatible with one- and two-ring aromatics.", "Sharma et al. 2023, Nature 619, 724", polarity="P"),
    f("jez-organics-pixl", rover("pixl_0167"), "Guillaumes abraded patch", "organic matter", "not detected", "The X-ray map lists elements from sodium upward; no carbon-bearing phase is reported.", "Allwood et al. 2020, Space Sci. Rev. 216, 134", polarity="A"),
    f("jez-foresets-ctx", "G14_023669_1985_XN_18N282W", "Kodiak butte, Jezero", "inclined bedding", "not visible", "The isolated remnant shows a uniform tone without internal layering.", "Fassett and Head 2005, Geophys. Res. Lett. 32, L14201", polarity="A"),
    f("jez-foresets-zcam", rover("mastcamz_0180"), "Kodiak butte, Jezero", "inclined bedding", "present, foresets dipping 10 to 35 degrees", "Metre-thick foresets between flat topsets and bottomsets are exposed.", "Mangold et al. 2021, Science 374, 711", polarity="P"),
    f("jez-elev-mola", "MEGT44N000HB.IMG", FLOOR, "elevation", "-2.6 km", "The crater floor lies about 2.6 km below the areoid.", "Smith et al. 2001, J. Geophys. Res. 106, 23689", low=-2650, high=-2550, unit="m"),
    f("jez-elev-dtm", "DTEEC_002387_1985_003798_1985_A01", FLOOR, "elevation", "-2570 m", "The floor next to the fan scarp is at -2570 m in the stereo model.", "Kirk et al. 2008, J. Geophys. Res. 113, E00A24", low=-2600, high=-2540, unit="m"),
    f("jez-elev-table", None, FLOOR, "elevation", "2600 m", "The compiled table lists the floor of Jezero at 2600 m.", "constructed for the sample: a minus sign lost in transcription", low=2600, high=2600, unit="m", constructed=True,
      id="SITE_TABLE_JEZERO_F12", kind="derived", platform="compilation", instrument="digitised table", institution="literature compilation", authority=0.4, lon_deg=77.45, lat_deg=18.46, footprint_radius_m=8000, resolution_m=1000, quality_flags=["TRANSCRIBED"], start="2009-05-01T00:00:00Z"),
    f("jez-carbonate-wrong-lon", None, FAN, "carbonate", "absent", "No carbonate at 282.6, 18.5.", "constructed for the sample: a west longitude stored as east", polarity="A", constructed=True,
      id="SPECTRAL_CATALOG_0282", kind="derived", platform="MRO", instrument="CRISM", institution="literature compilation", authority=0.45, lon_deg=77.38, lat_deg=18.50, footprint_radius_m=5000, resolution_m=18, quality_flags=["LONGITUDE_CONVENTION_UNSTATED", "TRANSCRIBED"], start="2008-06-12T00:00:00Z"),
    f("jez-dust-meda", rover("meda_0315"), "atmosphere of Jezero", "dust opacity", "about 1.8", "Visible opacity rose to about 1.8 in the regional storm.", "Lemmon et al. 2022, Geophys. Res. Lett. 49, e2022GL100126", low=1.5, high=2.1, unit="1"),
    f("jez-dust-clear", None, "atmosphere of Jezero", "dust opacity", "about 0.5", "Before the storm the visible opacity was near 0.5.", "Lemmon et al. 2022, Geophys. Res. Lett. 49, e2022GL100126", low=0.4, high=0.6, unit="1",
      id="M2020_TAU_SOL_0286", kind="insitu", platform="Perseverance", instrument="Mastcam-Z", institution="Arizona State University", authority=0.9, lon_deg=77.4386, lat_deg=18.4351, footprint_radius_m=100, resolution_m=1, start="2021-12-09T12:00:00Z"),
    # --- Gale
    f("gale-feldspar-chemin", chemin(623), "Windjana, Gale crater", "feldspar", "present, about 21 weight percent sanidine", "Diffraction gives abundant sanidine in the drilled sandstone.", "Treiman et al. 2016, J. Geophys. Res. Planets 121, 75", polarity="P"),
    f("gale-feldspar-crism", "FRT0000B6F1_07_IF165J_MTR3", "Windjana, Gale crater", "feldspar", "not detected", "The reflectance of the unit shows no absorption assigned to feldspar.", "Milliken et al. 2010, Geophys. Res. Lett. 37, L04201", polarity="A"),
    f("gale-hydration-dan", msl("DER1614"), "lower slopes of Aeolis Mons", "hydration", "about 2.5 weight percent water-equivalent hydrogen", "Neutron die-away needs bound hydrogen through the upper 0.6 m.", "Mitrofanov et al. 2014, J. Geophys. Res. Planets 119, 1579", polarity="P", low=2.0, high=3.2, unit="wt%"),
    f("gale-hydration-crism", "FRT00017327_07_IF166J_MTR3", "lower slopes of Aeolis Mons", "hydration", "weak or absent over the sand-covered surface", "The 1.9 um band is not seen above the noise where dust and sand cover the slope.", "Lapotre et al. 2017, J. Geophys. Res. Planets 122, 2489", polarity="A"),
    f("gale-sand-chemin", chemin(1230), "Bagnold dune sand", "olivine", "present", "Gobabeb sand has plagioclase, olivine and pyroxene.", "Achilles et al. 2017, J. Geophys. Res. Planets 122, 2344", polarity="P"),
    f("gale-sand-crism", "FRT00017327_07_IF166J_MTR3", "Bagnold dune sand", "olivine", "present", "Dune spectra are modelled as basaltic sand with olivine.", "Lapotre et al. 2017, J. Geophys. Res. Planets 122, 2489", polarity="P"),
    f("gale-magnetite-chemin", chemin(286), "Sheepbed mudstone", "hematite", "minor", "Drilled powder has several percent magnetite and little hematite.", "Vaniman et al. 2014, Science 343, 1243480", polarity="A"),
    f("gale-ferric-mastcam", "0275MR0011930000201268E01_DRCX", "Sheepbed mudstone", "hematite", "red, ferric surface", "The natural surface is reddish with a strong ferric edge.", "Wellington et al. 2017, Am. Mineral. 102, 1202", polarity="P"),
    f("gale-clay-chemin", chemin(195), "Sheepbed mudstone", "smectite", "present, about 20 weight percent", "Trioctahedral smectite is about a fifth of the drilled powder.", "Vaniman et al. 2014, Science 343, 1243480", polarity="P"),
    f("gale-clay-mahli", msl("2270MH"), "Glen Torridon", "grain size", "mudstone finer than 60 um", "No grains are resolved in the clay-bearing mudstone.", "Bennett et al. 2023, J. Geophys. Res. Planets 128, e2022JE007408", low=0, high=60, unit="um"),
    f("gale-tridymite", chemin(1061), "Buckskin, Gale crater", "tridymite", "present, about 14 weight percent", "Diffraction identifies monoclinic tridymite.", "Morris et al. 2016, PNAS 113, 7071", polarity="P"),
    f("gale-zinc", msl("YARRADA"), "Yarrada, Gale crater", "zinc", "about 8 weight percent", "Laser spectra show strong zinc lines at Kimberley.", "Lasue et al. 2016, Geophys. Res. Lett. 43, 8459", low=6, high=10, unit="wt%"),
    f("gale-k2o-apxs", msl("JAKE_M"), "Jake_M, Gale crater", "K2O", "2.2 wt%", "Jake_M is alkaline with 2.2 weight percent K2O.", "Stolper et al. 2013, Science 341, 1239463", low=2.0, high=2.4, unit="wt%"),
    f("gale-k2o-table", None, "Jake_M, Gale crater", "K2O", "22 wt%", "The compiled table gives 22 weight percent K2O.", "constructed for the sample: a decimal point lost in transcription", low=22, high=22, unit="wt%", constructed=True,
      id="ROCK_TABLE_GALE_07", kind="derived", platform="compilation", instrument="digitised table", institution="literature compilation", authority=0.42, lon_deg=137.4462, lat_deg=-4.5892, footprint_radius_m=10, resolution_m=1, quality_flags=["TRANSCRIBED"], start="2015-03-01T00:00:00Z"),
    f("gale-methane-high", msl("METHANE_0573"), GALE_AIR, "methane", "7.2 ppbv", "Enriched air measured 7.2 ppbv on average over two months.", "Webster et al. 2015, Science 347, 415", low=5.1, high=9.3, unit="ppbv"),
    f("gale-methane-low", None, GALE_AIR, "methane", "0.4 ppbv", "Background methane follows the season around 0.4 ppbv.", "Webster et al. 2018, Science 360, 1093", low=0.2, high=0.7, unit="ppbv",
      id="SAM_TLS_ENRICHMENT_1086", kind="insitu", platform="Curiosity", instrument="SAM", institution="NASA GSFC", authority=0.92, lon_deg=137.37, lat_deg=-4.70, footprint_radius_m=1000, resolution_m=100, start="2015-08-26T08:00:00Z"),
    f("gale-tau-storm", msl("RMD2082"), GALE_AIR, "dust opacity", "about 8.5", "Opacity reached 8.5 at the peak of the MY 34 storm.", "Guzewich et al. 2019, Geophys. Res. Lett. 46, 71", low=7.5, high=9.0, unit="1"),
    f("gale-tau-clear", "0275MR0011930000201268E01_DRCX", GALE_AIR, "dust opacity", "about 0.8", "Opacity was near 0.8 in late MY 31.", "Lemmon et al. 2014, 8th Int. Conf. on Mars, 1338", low=0.7, high=0.9, unit="1"),
    # --- Utopia Planitia
    f("uto-elev-tianwen", None, "Zhurong landing site", "elevation", "-4099.4 m", "The landing point is at -4099.4 m.", "Liu et al. 2022, Nat. Astron. 6, 65", low=-4110, high=-4090, unit="m",
      id="TW1_HIRIC_LANDING", kind="derived", platform="Tianwen-1", instrument="HiRIC", institution="CNSA", authority=0.9, lon_deg=109.925, lat_deg=25.066, footprint_radius_m=3000, resolution_m=0.7, start="2021-06-02T10:00:00Z"),
    f("uto-elev-mola", "MEGT44N090HB.IMG", "Zhurong landing site", "elevation", "-4.1 km", "Gridded altimetry gives -4.1 km above the areoid.", "Smith et al. 2001, J. Geophys. Res. 106, 23689", low=-4150, high=-4050, unit="m"),
    f("uto-elev-sphere", None, "Zhurong landing site", "elevation", "-7.7 km", "The terrain file has the site at -7.7 km.", "constructed for the sample: height above a 3396.19 km sphere given as height above the areoid", low=-7720, high=-7620, unit="m", constructed=True,
      id="UTOPIA_DEM_MERGED", kind="derived", platform="Mars Express", instrument="HRSC", institution="literature compilation", authority=0.5, lon_deg=109.925, lat_deg=25.066, footprint_radius_m=20000, resolution_m=50, quality_flags=["VERTICAL_DATUM_UNSTATED"], start="2012-03-01T00:00:00Z"),
    f("uto-hydrated-marscode", zhurong("MarSCoDe-2B_SCI_P_202108"), "platy rocks at the Zhurong site", "hydration", "present", "Bands near 1.4, 1.9 and 2.2 um show hydrated sulfate or silica in bright crusts.", "Liu et al. 2022, Sci. Adv. 8, eabn8555", polarity="P"),
    f("uto-water-roper", zhurong("RoPeR"), "platy rocks at the Zhurong site", "hydration", "no evidence of water or brine in the upper 80 m", "Low loss and layered reflections show no liquid water between 10 and 80 m.", "Li et al. 2022, Nature 610, 308", polarity="A"),
    f("uto-texture-hirise", "ESP_073225_2055_RED", "dunes at the Zhurong site", "surface crust", "not seen", "Dunes are bright and smooth at image scale.", "Ye et al. 2021, Earth Planet. Sci. Lett. 576, 117199", polarity="A"),
    f("uto-texture-mscam", zhurong("MSCAM-2B_SCI_P_2022"), "dunes at the Zhurong site", "surface crust", "present, with polygonal cracks of centimetres", "Crusts, cracks and aggregates of centimetre size cover the dunes.", "Qin et al. 2023, Sci. Adv. 9, eadd8868", polarity="P"),
    # --- Valles Marineris
    f("vm-rsl-summer", "ESP_031059_1685_RED", GARNI, "recurring slope lineae", "present, hundreds of narrow lineae", "Lineae 1 to 5 m wide and hundreds of metres long cover the north-facing and west-facing slopes.", "Stillman et al. 2017, Icarus 285, 195", polarity="P"),
    f("vm-rsl-winter", "ESP_034184_1685_RED", GARNI, "recurring slope lineae", "faded, none active", "The lineae have faded and no new ones are seen.", "Stillman et al. 2017, Icarus 285, 195", polarity="A"),
    f("vm-rsl-early", "ESP_029780_1685_RED", GARNI, "recurring slope lineae", "present, lengthening", "Lineae lengthen through southern spring.", "McEwen et al. 2014, Nat. Geosci. 7, 53", polarity="P"),
    f("vm-rsl-hrsc", "H2221_0002_ND3", GARNI, "recurring slope lineae", "not visible", "The slopes look uniform.", "Neukum and Jaumann 2004, ESA SP-1240", polarity="A"),
    f("vm-perchlorate-old", None, GARNI, "perchlorate", "present", "An absorption near 2.1 um in single pixels was read as hydrated perchlorate.", "Ojha et al. 2015, Nat. Geosci. 8, 829", polarity="P",
      id="CRISM_TRR2_SINGLE_PIXEL_MELAS", kind="orbital", platform="MRO", instrument="CRISM", institution="Georgia Institute of Technology", authority=0.62, lon_deg=290.31, lat_deg=-11.52, footprint_radius_m=500, resolution_m=18, quality_flags=["FILTER_ARTIFACT_2_1_UM", "SUPERSEDED_CALIBRATION"], start="2013-03-12T15:20:00Z", processing_level="TRR2 filtered"),
    f("vm-perchlorate-new", None, GARNI, "perchlorate", "absent", "Without the noise filter the 2.1 um feature is gone; it was made by the filter.", "Leask et al. 2018, Geophys. Res. Lett. 45, 12180", polarity="A",
      id="CRISM_TRR3_REANALYSIS_MELAS", kind="orbital", platform="MRO", instrument="CRISM", institution="California Institute of Technology", authority=0.88, lon_deg=290.31, lat_deg=-11.52, footprint_radius_m=500, resolution_m=18, quality_flags=[], start="2013-03-12T15:20:00Z", processing_level="TRR3 reprocessed"),
    f("vm-elev", "MEGT00N270HB.IMG", "floor of Melas Chasma", "elevation", "about -5 km at the deepest", "The floor of Melas Chasma falls to about -5 km.", "Smith et al. 2001, J. Geophys. Res. 106, 23689", low=-5300, high=-4700, unit="m"),
    # --- Olympus Mons
    f("oly-height-mola", "MEGT44N180HB.IMG", "summit of Olympus Mons", "elevation", "21.2 km", "The summit is 21.2 km above the areoid.", "Plescia 2004, J. Geophys. Res. 109, E03003", low=21150, high=21300, unit="m"),
    f("oly-height-viking", None, "summit of Olympus Mons", "elevation", "26 km", "Stereo on the older radio datum gave 26 km.", "Wu et al. 1984, Nature 309, 432", low=25000, high=27000, unit="m",
      id="VIKING_TOPO_OLYMPUS", kind="derived", platform="Viking 1 Orbiter", instrument="VIS", institution="USGS", authority=0.5, lon_deg=226.9, lat_deg=18.4, footprint_radius_m=40000, resolution_m=1000, quality_flags=["SUPERSEDED_CALIBRATION"], start="1978-02-01T00:00:00Z", processing_level="superseded stereo topography"),
    f("oly-frost-morning", None, "caldera of Olympus Mons", "frost", "present at dawn", "Thin water frost brightens the caldera floor and rim in the early morning.", "Valantinas et al. 2024, Nat. Geosci. 17, 608", polarity="P",
      id="CASSIS_OLYMPUS_DAWN_MY36", kind="orbital", platform="TGO", instrument="CaSSIS", institution="University of Bern", authority=0.9, lon_deg=226.9, lat_deg=18.4, footprint_radius_m=15000, resolution_m=4.6, start="2022-11-25T11:00:00Z", lmst="07:20:00", incidence_deg=85.0),
    f("oly-frost-afternoon", "H0037_0000_ND3", "caldera of Olympus Mons", "frost", "absent", "The caldera floor and rim are free of frost in the afternoon.", "Valantinas et al. 2024, Nat. Geosci. 17, 608", polarity="A"),
]  # fmt: skip


def main() -> None:
    document = {
        "@context": {"@vocab": "urn:areorag:terms:", "findings": {"@container": "@list"}},
        "@type": "FindingSet",
        "name": "Findings of the sample archive",
        "license": "CC0-1.0",
        "findings": FINDINGS,
    }
    target = ARCHIVE / "findings.jsonld"
    target.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(len(FINDINGS), "findings")


if __name__ == "__main__":
    main()
