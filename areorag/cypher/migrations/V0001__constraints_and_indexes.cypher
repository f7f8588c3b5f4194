// Constraints and indexes of the graph model (docs/model.md)
// schema

// unique ids
CYPHER 5 CREATE CONSTRAINT hyperedge_id IF NOT EXISTS FOR (n:Hyperedge) REQUIRE n.id IS UNIQUE;
CYPHER 5 CREATE CONSTRAINT observation_id IF NOT EXISTS FOR (n:Observation) REQUIRE n.id IS UNIQUE;
CYPHER 5 CREATE CONSTRAINT fact_id IF NOT EXISTS FOR (n:Fact) REQUIRE n.id IS UNIQUE;
CYPHER 5 CREATE CONSTRAINT colocation_id IF NOT EXISTS FOR (n:Colocation) REQUIRE n.id IS UNIQUE;
CYPHER 5 CREATE CONSTRAINT synonym_id IF NOT EXISTS FOR (n:Synonym) REQUIRE n.id IS UNIQUE;
CYPHER 5 CREATE CONSTRAINT superseded_id IF NOT EXISTS FOR (n:Superseded) REQUIRE n.id IS UNIQUE;
CYPHER 5 CREATE CONSTRAINT entity_id IF NOT EXISTS FOR (n:Entity) REQUIRE n.id IS UNIQUE;
CYPHER 5 CREATE CONSTRAINT cell_id IF NOT EXISTS FOR (n:Cell) REQUIRE n.id IS UNIQUE;
CYPHER 5 CREATE CONSTRAINT product_data_id IF NOT EXISTS FOR (n:Product) REQUIRE n.data_id IS UNIQUE;
CYPHER 5 CREATE CONSTRAINT document_id IF NOT EXISTS FOR (n:Document) REQUIRE n.id IS UNIQUE;
CYPHER 5 CREATE CONSTRAINT passage_id IF NOT EXISTS FOR (n:Passage) REQUIRE n.id IS UNIQUE;
CYPHER 5 CREATE CONSTRAINT claim_id IF NOT EXISTS FOR (n:Claim) REQUIRE n.id IS UNIQUE;
CYPHER 5 CREATE CONSTRAINT conflict_id IF NOT EXISTS FOR (n:Conflict) REQUIRE n.id IS UNIQUE;
CYPHER 5 CREATE CONSTRAINT ingest_run_id IF NOT EXISTS FOR (n:IngestRun) REQUIRE n.id IS UNIQUE;
CYPHER 5 CREATE CONSTRAINT query_id IF NOT EXISTS FOR (n:Query) REQUIRE n.id IS UNIQUE;
CYPHER 5 CREATE CONSTRAINT answer_id IF NOT EXISTS FOR (n:Answer) REQUIRE n.id IS UNIQUE;
CYPHER 5 CREATE CONSTRAINT file_id IF NOT EXISTS FOR (n:File) REQUIRE n.id IS UNIQUE;
CYPHER 5 CREATE CONSTRAINT tombstone_id IF NOT EXISTS FOR (n:Tombstone) REQUIRE n.id IS UNIQUE;
CYPHER 5 CREATE CONSTRAINT migration_version IF NOT EXISTS FOR (n:Migration) REQUIRE n.version IS UNIQUE;

// points: position on the body (metres, 3-D Cartesian, from its centre) and location (degrees, for people)
CYPHER 5 CREATE POINT INDEX observation_position IF NOT EXISTS FOR (n:Observation) ON (n.position)
OPTIONS {indexConfig: {`spatial.cartesian-3d.min`: [-8000000.0, -8000000.0, -8000000.0], `spatial.cartesian-3d.max`: [8000000.0, 8000000.0, 8000000.0]}};
CYPHER 5 CREATE POINT INDEX observation_location IF NOT EXISTS FOR (n:Observation) ON (n.location);
CYPHER 5 CREATE POINT INDEX feature_position IF NOT EXISTS FOR (n:Feature) ON (n.position)
OPTIONS {indexConfig: {`spatial.cartesian-3d.min`: [-8000000.0, -8000000.0, -8000000.0], `spatial.cartesian-3d.max`: [8000000.0, 8000000.0, 8000000.0]}};
CYPHER 5 CREATE POINT INDEX feature_location IF NOT EXISTS FOR (n:Feature) ON (n.location);
CYPHER 5 CREATE POINT INDEX colocation_position IF NOT EXISTS FOR (n:Colocation) ON (n.position)
OPTIONS {indexConfig: {`spatial.cartesian-3d.min`: [-8000000.0, -8000000.0, -8000000.0], `spatial.cartesian-3d.max`: [8000000.0, 8000000.0, 8000000.0]}};

// vectors: exact storage; quantised ones lose recall (docs/database.md)
CYPHER 5 CREATE VECTOR INDEX observation_embedding IF NOT EXISTS FOR (n:Observation) ON (n.embedding)
OPTIONS {indexConfig: {`vector.dimensions`: 384, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}};
CYPHER 5 CREATE VECTOR INDEX fact_embedding IF NOT EXISTS FOR (n:Fact) ON (n.embedding)
OPTIONS {indexConfig: {`vector.dimensions`: 384, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}};
CYPHER 5 CREATE VECTOR INDEX passage_embedding IF NOT EXISTS FOR (n:Passage) ON (n.embedding)
OPTIONS {indexConfig: {`vector.dimensions`: 384, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}};

// words
CYPHER 5 CREATE FULLTEXT INDEX hyperedge_text IF NOT EXISTS FOR (n:Observation|Fact|Colocation) ON EACH [n.name, n.text];
CYPHER 5 CREATE FULLTEXT INDEX passage_text IF NOT EXISTS FOR (n:Passage) ON EACH [n.text];
CYPHER 5 CREATE FULLTEXT INDEX entity_name IF NOT EXISTS FOR (n:Entity) ON EACH [n.name, n.aliases];
CYPHER 5 CREATE FULLTEXT INDEX claim_text IF NOT EXISTS FOR (n:Claim) ON EACH [n.subject, n.property, n.value, n.text];

// ranges
CYPHER 5 CREATE INDEX observation_kind IF NOT EXISTS FOR (n:Observation) ON (n.kind);
CYPHER 5 CREATE INDEX observation_instrument IF NOT EXISTS FOR (n:Observation) ON (n.instrument);
CYPHER 5 CREATE INDEX observation_platform IF NOT EXISTS FOR (n:Observation) ON (n.platform);
CYPHER 5 CREATE INDEX observation_institution IF NOT EXISTS FOR (n:Observation) ON (n.institution);
CYPHER 5 CREATE INDEX observation_body IF NOT EXISTS FOR (n:Observation) ON (n.body);
CYPHER 5 CREATE INDEX observation_ls_deg IF NOT EXISTS FOR (n:Observation) ON (n.ls_deg);
CYPHER 5 CREATE INDEX observation_mars_year IF NOT EXISTS FOR (n:Observation) ON (n.mars_year);
CYPHER 5 CREATE INDEX observation_sol IF NOT EXISTS FOR (n:Observation) ON (n.sol);
CYPHER 5 CREATE INDEX observation_start IF NOT EXISTS FOR (n:Observation) ON (n.start);
CYPHER 5 CREATE INDEX observation_stop IF NOT EXISTS FOR (n:Observation) ON (n.stop);
CYPHER 5 CREATE INDEX observation_resolution_m IF NOT EXISTS FOR (n:Observation) ON (n.resolution_m);
CYPHER 5 CREATE INDEX observation_rho IF NOT EXISTS FOR (n:Observation) ON (n.rho);
CYPHER 5 CREATE INDEX observation_processing_level IF NOT EXISTS FOR (n:Observation) ON (n.processing_level);
CYPHER 5 CREATE INDEX observation_authority IF NOT EXISTS FOR (n:Observation) ON (n.authority);
CYPHER 5 CREATE INDEX observation_content_hash IF NOT EXISTS FOR (n:Observation) ON (n.content_hash);
CYPHER 5 CREATE INDEX entity_name_range IF NOT EXISTS FOR (n:Entity) ON (n.name);
CYPHER 5 CREATE INDEX feature_name IF NOT EXISTS FOR (n:Feature) ON (n.name);
CYPHER 5 CREATE INDEX feature_type IF NOT EXISTS FOR (n:Feature) ON (n.type);
CYPHER 5 CREATE INDEX instrument_name IF NOT EXISTS FOR (n:Instrument) ON (n.name);
CYPHER 5 CREATE INDEX claim_property IF NOT EXISTS FOR (n:Claim) ON (n.property);
CYPHER 5 CREATE INDEX claim_subject IF NOT EXISTS FOR (n:Claim) ON (n.subject);
CYPHER 5 CREATE INDEX conflict_category IF NOT EXISTS FOR (n:Conflict) ON (n.category);
CYPHER 5 CREATE INDEX cell_order IF NOT EXISTS FOR (n:Cell) ON (n.order);
CYPHER 5 CREATE INDEX product_lid IF NOT EXISTS FOR (n:Product) ON (n.lid);
CYPHER 5 CREATE INDEX product_key IF NOT EXISTS FOR (n:Product) ON (n.key);
CYPHER 5 CREATE INDEX product_sha256 IF NOT EXISTS FOR (n:Product) ON (n.sha256);
CYPHER 5 CREATE INDEX fact_document IF NOT EXISTS FOR (n:Fact) ON (n.document_id);
CYPHER 5 CREATE INDEX passage_document IF NOT EXISTS FOR (n:Passage) ON (n.document_id);
CYPHER 5 CREATE INDEX file_status IF NOT EXISTS FOR (n:File) ON (n.status);
CYPHER 5 CREATE INDEX superseded_of IF NOT EXISTS FOR (n:Superseded) ON (n.of);
